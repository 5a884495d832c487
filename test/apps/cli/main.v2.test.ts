// The command line against an agent of ACP v2 that is built with the official SDK.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseRecording } from "../../../src/transport/wire/index.ts";
import { FrameChecker } from "../../support/schema.ts";
import { FakeTerminal } from "./support/io.ts";
import { events, run, start, withAgent } from "./support/run.ts";
import { builtBin, foldersForAll } from "./commands/setup.ts";

const AGENT = fileURLToPath(new URL("../../support/agents/sdk-v2-agent.mjs", import.meta.url));
const v2 = ["--agent-command", `node ${AGENT}`, "--protocol", "2"];

const bin = builtBin();
const folders = foldersForAll();
const where = () => ({ ...folders, dragoman: bin.file });
const ask = (...argv: string[]) => run([...v2, ...argv], where());
const eventsOf = async (...argv: string[]) => events((await ask("-o", "events", ...argv)).out);
const typesOf = (all: readonly Record<string, unknown>[]) => all.map(({ type }) => type);

describe("the version of the protocol", () => {
  it.each(["2", "newest"])("is 2 with --protocol %s, if the agent speaks it", async (version) => {
    const { out } = await ask("--protocol", version, "-o", "events", "--list-caps");
    expect(events(out)).toMatchObject([
      { type: "agent", title: "The SDK's agent", version: "2.2", protocolVersion: 2 },
      {
        type: "capabilities",
        protocolVersion: 2,
        capabilities: { session: { prompt: { image: {} }, delete: {} } },
      },
      { type: "result" },
    ]);
  });

  it("is 1 with newest, if the agent speaks no other", async () => {
    const { out } = await run(
      [...withAgent(), "--protocol", "newest", "-oevents", "hello"],
      where(),
    );
    const [agent, ...rest] = events(out);
    expect(agent).toMatchObject({ type: "agent", protocolVersion: 1 });
    expect(rest.at(-1)).toMatchObject({ ok: true, text: "Hello, world" });
  });

  it("that the agent does not speak is a failed start with a remedy", async () => {
    expect(await run([...withAgent(), "--protocol", "2", "hello"], where())).toMatchObject({
      code: 7,
      last: "node does not speak version 2 of the protocol, only version 1; try: --protocol newest, or --protocol 1",
    });
    expect(await run(["--agent-command", `node ${AGENT}`, "hello"], where())).toMatchObject({
      code: 7,
      last: "node speaks version 2 of the protocol, but not version 1; try: --protocol 2",
    });
  });

  it.each([
    ["v2", "--protocol 2"],
    ["3", "--protocol newest"],
  ])("%s does not exist, which is a usage error before anything starts", async (word, hint) => {
    for (const command of [["x"], ["chat"], ["doctor"], ["sessions"]]) {
      const { code, last } = await run([...command, ...withAgent(), "--protocol", word], where());
      expect(code).toBe(2);
      expect(last).toBe(`--protocol "${word}" is not one of 1, 2, newest; try: ${hint}`);
    }
  });

  it("comes from the settings, unless the flag says otherwise", async () => {
    const file = join(folders.cwd, "settings.json");
    const agents = {
      sdk: { command: "node", args: [AGENT], protocol: 2 },
      wrong: { command: "node", protocol: "2" },
    };
    const { sdk } = agents;
    await writeFile(file, JSON.stringify({ agent_servers: { sdk } }));
    expect((await run(["--settings", file, "hello"], where())).out).toBe("Hello, world");
    const other = await run(["--settings", file, "--protocol", "1", "hello"], where());
    expect(other.last).toContain("not version 1; try: --protocol 2");
    await writeFile(file, JSON.stringify({ agent_servers: agents }));
    expect(await run(["--settings", file, "hello"], where())).toMatchObject({
      code: 2,
      last: `${file}: agent_servers.wrong.protocol must be 1, 2 or "newest"`,
    });
  });

  it("is shown by the doctor and by --list-caps", async () => {
    const [doctor, caps, verbose] = await Promise.all([
      ask("doctor"),
      ask("--list-caps"),
      ask("--verbose", "hello"),
    ]);
    expect(doctor.out).toContain("The SDK's agent 2.2, protocol 2");
    expect(doctor.out).toContain("node works");
    expect(caps.out).toContain("  protocol version: 2\n  session.prompt.image: yes");
    expect(verbose.err).toContain("[agent] node: The SDK's agent 2.2, protocol 2");
  });
});

describe("a turn of an agent of v2", () => {
  it("has the same output as with v1", async () => {
    expect(await ask("hello")).toMatchObject({
      code: 0,
      out: "Hello, world",
      err: "",
    });
    expect((await ask("plan")).err).toContain("[plan] 1/2 done\n  ✓ look\n  → change\n");
    expect((await ask("--mode", "code", "mode")).out).toBe("code");
  });

  it("shows the end of a terminal's output, without its control sequences", async () => {
    const [whole, long, simple] = await Promise.all([
      ask("run"),
      ask("long"),
      ask("-o", "simple", "run"),
    ]);
    expect(whole.err).toContain(
      "[terminal] npm test (exit code 0)\n  one\n  100%\n  ␛]0;title␇✓ passed\n[tool] Run the tests (completed",
    );
    expect(long.err).toContain("[terminal] seq (exit code 3)\n  … 30 lines before\n  line 30\n");
    expect(simple.err).toBe("");
  });

  it("has events for states, terminals and messages, and one for each plan", async () => {
    const all = await eventsOf("run");
    const expected =
      "agent session commands message state terminal tool tool terminal_output terminal_output terminal tool tool text state result";
    expect(typesOf(all)).toEqual(expected.split(" "));
    const output = all
      .filter(({ type }) => type === "terminal_output")
      .map(({ data }) => Buffer.from(String(data), "base64"));
    expect(Buffer.concat(output).toString()).toContain("✓ passed");
    expect(all.find(({ state }) => state === "idle")).toMatchObject({
      stopReason: "end_turn",
      background: [],
    });
    expect(all.filter(({ type }) => type === "terminal").at(-1)).toMatchObject({
      id: "term-1",
      exit: { code: 0 },
    });
    const planned = typesOf(await eventsOf("plan"));
    expect(planned.filter((type) => type === "plan" || type === "unknown")).toEqual(["plan"]);
  });

  it("that fails or stops early has the exit code of v1", async () => {
    const runs: [string[], object][] = [
      [
        ["error"],
        {
          code: 1,
          last: "node answered session/prompt with an error: the model exploded (error -32050)",
        },
      ],
      [["refuse"], { code: 0, last: "[stopped] refusal" }],
      [["--fail-on", "refusal", "refuse"], { code: 10 }],
      [["--fail-on", "any", "odd"], { code: 10, last: "the turn stopped early: _tired" }],
      [["--timeout", "500ms", "--start-timeout", "20", "hang"], { code: 3 }],
      [["--resume", "nothing", "hello"], { code: 4 }],
    ];
    await Promise.all(
      runs.map(async ([argv, expected]) => expect(await ask(...argv)).toMatchObject(expected)),
    );
  });

  it("is cancelled by Ctrl-C, and ended if the agent ignores that", async () => {
    const { io, ended } = start([...v2, "hang"], where());
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    expect(await ended).toMatchObject({ code: 130, out: "waiting" });
    const deaf = start([...v2, "ignore"], { ...where(), timing: { cancelGraceMs: 50 } });
    await deaf.io.out.waitFor("waiting");
    deaf.io.signal("SIGINT");
    expect(await deaf.ended).toMatchObject({ code: 130 });
  });

  it("reports background work, and that it ends with the agent", async () => {
    const { code, err } = await ask("background");
    expect(code).toBe(0);
    expect(err).toContain("[background] npm run dev\n");
    expect(err).toContain(
      "dragoman: node ends now, and its background work with it: npm run dev\n",
    );
  });

  it("can be recorded and played back", async () => {
    const file = join(folders.cwd, "v2.jsonl");
    await ask("--record", file, "run");
    const player = ["--agent-command", `node ${bin.file} replay ${file}`];
    const { code, out, err } = await run([...player, "--protocol", "2", "run"], where());
    expect({ code, out }).toEqual({ code: 0, out: "It works." });
    expect(err).toContain("[terminal] npm test (exit code 0)");
    expect((await run([...player, "run"], where())).last).toContain("try: --protocol 2");
  });

  it("writes only frames of the official schema", async () => {
    const runs = [
      ["edit", "--write"],
      ["command"],
      ["--mode", "code", "mode"],
      ["--resume", "stored"],
    ];
    const recorded = await Promise.all(
      runs.map(async (argv, index) => {
        const file = join(folders.cwd, `frames-${index}.jsonl`);
        await ask("--record", file, ...argv, "hello");
        return parseRecording(await readFile(file, "utf8")).lines;
      }),
    );
    for (const lines of recorded) {
      const schema = new FrameChecker("client", "v2");
      // The first frame has the form of both versions.
      for (const { direction, line } of lines.slice(1))
        schema.saw(direction === "out" ? "client" : "agent", line);
      expect(schema.judged).toBeGreaterThan(1);
      expect(schema.faults).toEqual([]);
    }
  });
});

describe("a permission question of an agent of v2", () => {
  it("shows the agent's own words, marked as such, and the targets below them", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...v2, "edit"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    expect(terminal.output.text).toContain(
      [
        "node asks for permission: Edit a.txt [edit]",
        "  | May I change one line?",
        "  | It is safe.",
        "  |   path: /etc/passwd",
        "  | ␛[2Jreally",
        "  a.txt +1 -1",
      ].join("\n"),
    );
    terminal.type("1\n");
    expect((await ended).out).toBe("once");
  });

  it("shows the whole command that the permission is for", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...v2, "command"], { ...where(), terminal });
    await terminal.output.waitFor("Choose");
    expect(terminal.output.text).toContain(
      `node asks for permission: Clean up? [execute]\n  $ rm -rf build\n  in ${folders.cwd}\n`,
    );
    terminal.type("2\n");
    expect((await ended).out).toBe("no");
  });

  it("is part of the event about the decision", async () => {
    expect((await eventsOf("edit")).find(({ type }) => type === "permission")).toMatchObject({
      what: `edit ${join(folders.cwd, "a.txt")}`,
      question: "May I change one line?",
      outcome: "denied",
      hint: "--write",
    });
    expect((await ask("--write", "edit")).out).toBe("once");
    expect((await ask("--exec", "command")).out).toBe("once");
  });
});

describe("the sessions of an agent of v2", () => {
  it("can be listed, shown and resumed", async () => {
    expect((await ask("sessions", "list")).out).toContain("stored            A stored session");
    expect((await ask("sessions", "show", "stored")).out).toBe(
      "You: an old question\n\nAgent: an old answer\n",
    );
    expect((await ask("--resume", "stored", "hello")).out).toBe("Hello, world");
  });
});

describe("the embedded agent on v2", () => {
  const demo = (...argv: string[]) => run(["-a", "demo", "--protocol", "2", ...argv], where());
  it("answers as on v1", async () => {
    const { code, out } = await demo("-o", "events", "/plan");
    expect(code).toBe(0);
    const all = events(out);
    expect(all[0]).toMatchObject({ type: "agent", protocolVersion: 2 });
    expect(all.at(-1)).toMatchObject({ ok: true, stopReason: "end_turn" });
    const onV1 = events((await run(["-a", "demo", "-o", "events", "/plan"], where())).out);
    expect(all.at(-1)?.["text"]).toBe(onV1.at(-1)?.["text"]);
  });
});

import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_OPTIONS, COMMANDS } from "../../src/cli/args/options.ts";
import { manPage } from "../../src/cli/man-page.ts";
import { AGENT } from "./support/bin.ts";
import { FakeTerminal } from "./support/io.ts";
import { events, run, scratch, start, withAgent, type Scratch } from "./support/run.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
});
afterAll(() => place.remove());
const where = () => ({ home: place.home, cwd: place.cwd });

describe("help", () => {
  it("has every option and command, and fits a terminal", async () => {
    const { code, out, err } = await run(["--help"], where());
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name, on } of ALL_OPTIONS)
      if (on.includes("prompt")) expect(out).toContain(`--${name}`);
    for (const { name } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name}`, "m"));
    expect(out).toContain("may hold secrets of MCP servers");
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
  it.each(COMMANDS.map(({ name }) => name))("of %s is the same both ways", async (name) => {
    const asked = await run(["help", name], where());
    expect(asked.code).toBe(0);
    expect((await run([name, "--help"], where())).out).toBe(
      name === "help" ? (await run(["-h"], where())).out : asked.out,
    );
  });
  it("of what does not exist is an error", async () => {
    const { code, last } = await run(["help", "chta"], where());
    expect(code).toBe(2);
    expect(last).toBe('there is no command "chta"; try: chat');
  });
  it("the version is one line", async () => {
    expect(await run(["--version"], where())).toMatchObject({ code: 0, out: "1.2.3\n" });
  });
});

describe("agents", () => {
  it("lists the settings' and the catalogue's, and what is installed", async () => {
    const bin = join(place.home, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "gemini"), "#!/bin/sh\n");
    await chmod(join(bin, "gemini"), 0o755);
    const settings = {
      agent_servers: { mine: { command: "/no/such", env: { TOKEN: "secret-token" } } },
    };
    await writeFile(join(place.cwd, "s.json"), JSON.stringify(settings));
    const { code, out } = await run(["agents", "--settings", "s.json"], {
      ...where(),
      env: { PATH: bin },
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^AGENT +INSTALLED +COMMAND +ABOUT$/m);
    expect(out).toMatch(/^mine +no +\/no\/such +s\.json$/m);
    expect(out).toMatch(/^gemini +yes +gemini --acp +Gemini CLI$/m);
    expect(out).toMatch(/^claude +no +claude-agent-acp +Claude Agent; npm install -g/m);
    expect(out).toMatch(/^demo +yes /m);
    expect(out).toMatch(/^droid +no +droid-acp /m);
    expect(out).not.toContain("secret-token");
    const json = await run(["agents", "-o", "json"], { ...where(), env: { PATH: bin } });
    expect(events(json.out).find(({ name }) => name === "gemini")).toMatchObject({
      installed: true,
    });
  });
  it("takes no words", async () => {
    expect((await run(["agents", "x"], where())).last).toContain("agents takes no arguments");
  });
});

describe("sessions", () => {
  const sessions = (...argv: string[]) => run(["sessions", ...argv, ...withAgent()], where());
  it("list: all pages, as a table", async () => {
    const { code, out } = await sessions("list");
    expect(code).toBe(0);
    expect(out).toBe(
      "SESSION  UPDATED               TITLE\nkept     2026-01-02T03:04:05Z  The kept one\nother\n",
    );
    expect((await sessions()).out).toBe(out);
    expect((await sessions("list", "--all")).out).toContain(`FOLDER`);
    expect(events((await sessions("list", "-o", "events")).out)).toMatchObject([
      { type: "agent" },
      { sessionId: "kept" },
      { sessionId: "other" },
      { type: "result", ok: true },
    ]);
  });
  it("show: what was said", async () => {
    const { out } = await sessions("show", "kept");
    expect(out).toBe(
      "You: what was asked\n\nAgent: what was answered\n\n[tool] Old tool (completed)\n",
    );
  });
  it("export: as Markdown, or as events", async () => {
    const { out } = await sessions("export", "kept");
    expect(out).toBe(
      "## You\n\nwhat was asked\n\n## Agent\n\nwhat was answered\n\n- tool: Old tool (completed)\n",
    );
    const all = events((await sessions("export", "kept", "-o", "events")).out);
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "user",
      "text",
      "text",
      "tool",
      "result",
    ]);
  });
  it("delete", async () => {
    expect(await sessions("delete", "kept")).toMatchObject({
      code: 0,
      out: "",
      last: "deleted kept",
    });
  });
  it.each([
    [["show", "gone"], 4, "cannot reopen the session"],
    [["show"], 2, "sessions show needs a session id"],
    [["list", "x"], 2, "sessions list takes no arguments"],
    [["lits"], 2, 'sessions "lits" is not one of list, show, delete, export'],
  ])("%j fails clearly", async (argv, code, message) => {
    const ended = await sessions(...argv);
    expect(ended.code).toBe(code);
    expect(ended.last).toContain(message);
  });
  it("of an agent that keeps none say so", async () => {
    const { code, last } = await run(["sessions", ...withAgent("no-list")], where());
    expect(code).toBe(2);
    expect(last).toContain("does not advertise sessionCapabilities.list");
  });
  it("that can only be resumed cannot be shown", async () => {
    const { code, last } = await run(
      ["sessions", "show", "kept", ...withAgent("no-load", "resume")],
      where(),
    );
    expect(code).toBe(4);
    expect(last).toContain("not replay");
  });
});

describe("doctor", () => {
  it("tells each step with its time", async () => {
    const { code, out } = await run(["doctor", ...withAgent()], where());
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {3}command +\d+\.\d\d s {2}\/.*node$/m);
    expect(out).toMatch(
      /^ok {3}version .*v\d+\..*, of what runs it; the handshake tells its own$/m,
    );
    expect(out).toMatch(/^ok {3}handshake .*The CLI's agent 9\.9, protocol 1$/m);
    expect(out).toMatch(/^ok {3}session .*opened, and no login asked for$/m);
    expect(out).toMatch(/^node works$/m);
  });
  it.each([
    [["doctor", "--agent-command", "no-such-agent"], 7, /^FAIL command/m],
    [["doctor", ...withAgent("die-in-initialize")], 7, /^FAIL handshake .*exit code 4/m],
    [["doctor", ...withAgent("protocol=9")], 1, /^FAIL handshake .*version 9/m],
    [["doctor", ...withAgent("auth")], 6, /^FAIL session .*needs you to sign in/m],
    [["doctor", "nobody"], 2, /^$/],
  ])("%j ends with %i", async (argv, code, pattern) => {
    const ended = await run(argv, where());
    expect(ended.code).toBe(code);
    expect(ended.out).toMatch(pattern);
  });
  it("does not send people to itself", async () => {
    const { code, last } = await run(
      ["doctor", "--agent-command", "sh -c 'echo boom >&2; exit 3'"],
      where(),
    );
    expect({ code, last }).toEqual({
      code: 7,
      last: "sh died while starting (exit code 3); its last stderr: boom; try: sh -c 'echo boom >&2; exit 3' in a terminal, to see its own output",
    });
  });
  describe("asks the adapter about droid, and", () => {
    const ask = async (checks: readonly object[], rc: number, ...argv: string[]) => {
      const script = join(place.home, "fake-droid-acp.mjs");
      const lines = checks.map((check) => `${JSON.stringify({ ms: 1200, ...check })}\n`).join("");
      await writeFile(
        script,
        `process.stdout.write(${JSON.stringify(lines)}); process.stderr.write(process.argv.slice(2).join(" ")); process.exitCode = ${rc};`,
      );
      return run(["doctor", "droid", ...argv], { ...where(), droidAcp: script });
    };
    const good = { name: "executable", result: "ok", message: "/bin/droid" };
    const old = { name: "version", result: "warning", message: "0.1 is old", advice: "Update." };
    const login = { name: "access", result: "failed", message: "no login", advice: "Run `x`." };
    const broken = { name: "handshake", result: "failed", message: "it does not answer" };

    it("tells its checks as steps", async () => {
      expect(await ask([good, old], 0)).toMatchObject({
        code: 0,
        out: "ok   executable  1.20 s  /bin/droid\nwarn version     1.20 s  0.1 is old\n                         Update.\ndroid works\n",
        err: "",
      });
    });
    it("tells a missing login from a Droid that does not work", async () => {
      expect(await ask([good, login], 1)).toMatchObject({
        code: 6,
        last: "no login; try: run `x`",
      });
      expect(await ask([good, broken], 1)).toMatchObject({ code: 7, last: "it does not answer" });
    });
    it("gives events for programs", async () => {
      const { out } = await ask([old], 0, "-o", "events");
      expect(events(out).slice(0, -1)).toEqual([
        {
          v: 1,
          type: "doctor",
          step: "version",
          ok: true,
          detail: "0.1 is old",
          ms: 1200,
          advice: "Update.",
        },
      ]);
    });
    it("tells what an adapter that fails by itself says, which has the model it was asked for", async () => {
      const { code, last } = await ask([], 3, "--model", "m");
      expect(code).toBe(7);
      expect(last).toBe(
        "droid-acp --doctor failed (exit code 3); its last stderr: --doctor --json --model m",
      );
    });
  });
  it("has the failure in the last line, after what there is to say of the agent's noise", async () => {
    const { err, last } = await run(["doctor", ...withAgent("noisy-start", "auth")], where());
    expect(err).toContain("2 lines that are no protocol messages were ignored");
    expect(last).toContain("needs you to sign in");
  });
  it.each([
    [["doctor", ...withAgent()], true, 0],
    [["sessions", ...withAgent()], true, 0],
    [["agents"], true, 0],
    [["doctor", "nobody"], false, 2],
    [["agents", "x"], false, 2],
    [["--nope"], false, 2],
    [["--color", "blue", "hi"], false, 2],
  ])("%j ends with a result in events", async (argv, ok, exitCode) => {
    for (const mode of [["-o", "events"], ["--outputmode=events"], ["-oevents"]]) {
      const { code, out } = await run([...argv, ...mode], where());
      expect(code).toBe(exitCode);
      const results = events(out).filter(({ type }) => type === "result");
      expect(results).toEqual([events(out).at(-1)]);
      expect(results).toMatchObject([{ ok, exitCode, text: "" }]);
    }
  });
  it.each([["doctor"], ["sessions"], ["chat"]])(
    "%s that fails ends with a result",
    async (command) => {
      const { out } = await run(
        [command, "-o", "events", ...withAgent("die-in-initialize")],
        where(),
      );
      expect(events(out).at(-1)).toMatchObject({
        type: "result",
        ok: false,
        exitCode: 7,
        error: { kind: "cannotStart", exit: "exit code 4", stderr: "no licence found\n" },
      });
    },
  );
  it("is told in events too", async () => {
    const { out } = await run(["doctor", "-o", "events", ...withAgent()], where());
    const steps = events(out).filter(({ type }) => type === "doctor");
    expect(steps.map(({ step, ok }) => [step, ok])).toEqual([
      ["command", true],
      ["version", true],
      ["handshake", true],
      ["session", true],
    ]);
  });
});

describe("chat", () => {
  const chat = (stdin: string, ...argv: string[]) =>
    run(["chat", ...withAgent(), ...argv], { ...where(), stdin });
  it("has several turns in one session", async () => {
    const { code, out } = await chat("hello\nsettings\n");
    expect({ code, out }).toEqual({ code: 0, out: "Hello, world\nask small false\n" });
  });
  it("has commands of its own", async () => {
    const { out, err } = await chat(
      "/mode code\n/model large\n/permissions write on\nedit\nsettings\n/help\n/exit\nhello\n",
    );
    expect(out).toBe("once\ncode large false\n");
    expect(err).toContain("* code\n");
    expect(err).toContain("* large\n");
    expect(err).toContain("writing        allowed\n");
    expect(err).toContain("/permissions   show what is allowed");
  });
  it("sends other slash commands to the agent, and joins lines that go on", async () => {
    const { out } = await chat("/plan it\nfirst\\\nsecond\n");
    expect(out).toBe("you said: /plan it\nyou said: first\nsecond\n");
  });
  it("sends the agent's command of the same name as one of its own with two slashes", async () => {
    expect((await chat("//mode code\n")).out).toBe("you said: /mode code\n");
    expect((await chat("// a comment\n")).out).toBe("you said: // a comment\n");
  });
  it("goes on after a failed turn or a wrong command", async () => {
    const { code, out, err } = await chat("error\n/mode nope\n/permissions nope\nhello\n");
    expect({ code, out }).toEqual({ code: 0, out: "Hello, world\n" });
    expect(err).toContain("model exploded");
    expect(err).toContain('unknown mode "nope"');
    expect(err).toContain('"nope" is not one of write, exec, yolo');
  });
  it("has a result for every turn in events", async () => {
    const { out } = await chat("hello\nedit\n", "-o", "events");
    const results = events(out).filter(({ type }) => type === "result");
    expect(results).toMatchObject([
      { text: "Hello, world", denied: [] },
      { text: "no", denied: [{ hint: "--write" }] },
    ]);
  });
  it("one Ctrl-C cancels the turn, and the chat goes on", async () => {
    const stdin = new PassThrough();
    const { io, ended } = start(["chat", ...withAgent()], { ...where(), stdin, stdinKind: "pipe" });
    stdin.write("hang\n");
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    await io.err.waitFor("[stopped] cancelled");
    stdin.end("hello\n");
    expect(await ended).toMatchObject({ code: 0, out: "waiting\nHello, world\n" });
  });
  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends it while it waits for a line", async (name, code) => {
    const stdin = new PassThrough();
    const { io, ended } = start(["chat", ...withAgent()], { ...where(), stdin, stdinKind: "pipe" });
    stdin.write("hello\n");
    await io.out.waitFor("world");
    io.signal(name);
    expect((await ended).code).toBe(code);
  });
  it("asks on the terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start(["chat", ...withAgent()], { ...where(), stdin: "edit\n", terminal });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    expect((await ended).out).toBe("once\n");
  });
});

describe("replay", () => {
  it("plays a recorded conversation back, as an agent", async () => {
    const file = join(place.cwd, "wire.jsonl");
    await run([...withAgent(), "--record", file, "story"], where());
    const replayed = await replay(file, "story");
    expect(replayed.code).toBe(0);
    expect(replayed.out).toBe("Done.\n");
    expect(replayed.err).toContain("[plan] 1/3 done");
  });
  it("plays requests of the agent's too, and takes the answers", async () => {
    const file = join(place.cwd, "ask.jsonl");
    await run([...withAgent(), "--record", file, "edit"], where());
    expect((await replay(file, "edit")).out).toBe("no");
  });
  it("tells when the client leaves the script", async () => {
    const file = join(place.cwd, "wire2.jsonl");
    await run([...withAgent(), "--record", file, "hello"], where());
    const { code, last } = await replay(file, "--resume", "kept", "hello");
    expect(code).toBe(4);
    expect(last).toContain("The recording has no further session/load");
  });
  it("does not wait for ever", async () => {
    const file = join(place.cwd, "wire3.jsonl");
    await run([...withAgent(), "--record", file, "hello"], where());
    const stdin = new PassThrough();
    const ended = await run(["replay", file, "--step-timeout", "100ms"], { ...where(), stdin });
    expect(ended.code).toBe(3);
    expect(ended.last).toContain("step 1 of 8: initialize did not arrive within 0.1 s");
  });
  it("tells when the client goes too early", async () => {
    const file = join(place.cwd, "wire4.jsonl");
    await run([...withAgent(), "--record", file, "hello"], where());
    const ended = await run(["replay", file], { ...where(), stdin: "" });
    expect(ended).toMatchObject({
      code: 1,
      last: "the client disconnected at step 1 of 8, before initialize",
    });
  });
  it.each([
    [[], "replay needs one recording"],
    [["gone.jsonl"], "gone.jsonl: no such file"],
    [["package.json"], "package.json: line 1 of the recording is not JSON"],
  ])("of %j fails clearly", async (argv, message) => {
    await writeFile(join(place.cwd, "package.json"), "{\n}\n");
    const { code, last } = await run(["replay", ...argv], { ...where(), stdin: "" });
    expect(code).toBe(2);
    expect(last).toContain(message);
  });

  /** A client run against `dragoman replay`, which is a process of its own as any agent is. */
  async function replay(file: string, ...argv: string[]) {
    const { buildBin } = await import("./support/bin.ts");
    const bin = await buildBin();
    try {
      return await run(["--agent-command", `node ${bin.file} replay ${file}`, ...argv], where());
    } finally {
      await bin.remove();
    }
  }
});

it("the man page is the one made from the table of options", async () => {
  await expect(manPage()).toMatchFileSnapshot("../../man/dragoman.1");
});

it("the scripted agent is where the tests think it is", async () => {
  expect(await readFile(AGENT, "utf8")).toContain("#!/usr/bin/env node");
});

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeIoOptions } from "./support/io.ts";
import { events, run, scratch, start, withAgent, type Scratch } from "./support/run.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
  await writeFile(join(place.cwd, "a.txt"), "one\ntwo\n");
  await writeFile(join(place.cwd, "pic.png"), Buffer.from("89504e470d0a1a0a0000000d", "hex"));
});
afterAll(() => place.remove());

const inPlace = (options: FakeIoOptions = {}): FakeIoOptions => ({
  home: place.home,
  cwd: place.cwd,
  ...options,
});
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], inPlace());

describe("a prompt", () => {
  it("puts the answer on stdout, exactly as it came, and nothing else there", async () => {
    expect(await prompt("hello")).toEqual({ code: 0, out: "Hello, world", err: "", last: "" });
  });

  it("that is almost a command is sent, and that is said", async () => {
    const { out, err } = await prompt("chatt");
    expect(out).toBe("you said: chatt");
    expect(err).toBe('dragoman: "chatt" is sent as a prompt; dragoman chat is a command\n');
    for (const words of [["chat?"], ["hello"], ["chat"], ["chatt", "now"]])
      expect((await prompt("--", ...words)).err).not.toContain("as a prompt;");
  });
  it("is joined from words", async () => {
    expect((await prompt("echo", "this")).out).toBe("you said: echo this");
  });

  it("may begin with a dash or be a command's name after --", async () => {
    expect((await prompt("--", "-x")).out).toBe("you said: -x");
    expect((await prompt("--", "chat")).out).toBe("you said: chat");
  });

  it("is stdin, or has stdin added", async () => {
    const piped = await run(withAgent(), inPlace({ stdin: "from a pipe\n" }));
    expect(piped.out).toBe("you said: from a pipe\n");
    const both = await run([...withAgent(), "review:"], inPlace({ stdin: "the diff\n" }));
    expect(both.out).toBe("you said: review:\n\nthe diff");
  });

  it("leaves stdin alone with --no-stdin, or when it is neither pipe nor file", async () => {
    const never = new PassThrough();
    const left = await run(
      [...withAgent(), "--no-stdin", "hello"],
      inPlace({ stdin: never, stdinKind: "pipe" }),
    );
    expect(left.out).toBe("Hello, world");
    const other = await run(
      [...withAgent(), "hello"],
      inPlace({ stdin: never, stdinKind: "other" }),
    );
    expect(other.out).toBe("Hello, world");
  });

  it("says what it waits for when stdin stays silent", async () => {
    const stdin = new PassThrough();
    const { io, ended } = start([...withAgent(), "x"], inPlace({ stdin, stdinKind: "pipe" }));
    await io.err.waitFor("waiting for stdin; --no-stdin leaves it");
    stdin.end("late");
    expect((await ended).out).toBe("you said: x\n\nlate");
  });

  it("can be interrupted while it waits for stdin", async () => {
    const stdin = new PassThrough();
    const { io, ended } = start([...withAgent(), "x"], inPlace({ stdin, stdinKind: "pipe" }));
    await io.err.waitFor("waiting for stdin");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
  });

  it("comes from a file", async () => {
    await writeFile(join(place.cwd, "prompt.md"), "from a file\n");
    expect((await prompt("-f", "prompt.md")).out).toBe("you said: from a file\n");
    const dash = await run(
      [...withAgent(), "-f", "-"],
      inPlace({ stdin: "dashed", stdinKind: "other" }),
    );
    expect(dash.out).toBe("you said: dashed");
  });

  it("links what it mentions", async () => {
    const { out } = await prompt("blocks @a.txt and @https://example.com/x.md");
    expect(JSON.parse(out)).toEqual([
      { type: "text", text: "blocks @a.txt and @https://example.com/x.md" },
      {
        type: "resource_link",
        uri: pathToFileURL(join(place.cwd, "a.txt")).href,
        name: "a.txt",
        mimeType: "text/plain",
        size: 8,
      },
      {
        type: "resource_link",
        uri: "https://example.com/x.md",
        name: "x.md",
        mimeType: "text/markdown",
      },
    ]);
  });

  it("carries an image where the agent takes one, and says so where it does not", async () => {
    const taken = await prompt("--image", "pic.png", "blocks");
    expect(JSON.parse(taken.out)).toMatchObject([
      { type: "text" },
      { type: "image", mimeType: "image/png" },
    ]);
    const refused = await run(
      [...withAgent("no-image"), "--image", "pic.png", "blocks"],
      inPlace(),
    );
    expect(refused.code).toBe(2);
    expect(refused.last).toContain("takes no images");
  });

  it.each([
    [[], "there is no prompt"],
    [["-f", "gone.md"], "gone.md: no such file"],
    [["--image", "gone.png", "x"], "gone.png: no such file"],
    [
      ["--fail-on", "refusl", "x"],
      '--fail-on "refusl" is not one of end_turn, max_tokens, max_turn_requests, refusal, cancelled, any; try: --fail-on refusal',
    ],
    [["--timeout", "soon", "x"], '--timeout "soon" is not a duration'],
    [["--permissions", "gone.json", "x"], "gone.json: no such permissions file"],
    [["--cwd", "gone", "x"], "--cwd gone is not a folder"],
    [["--record", "gone/x", "x"], "--record gone/x cannot be written"],
    [["--resume", "x", "--continue", "y"], "--resume and --continue contradict each other"],
    [["--no-stdin", "-f", "-"], "contradict each other"],
  ])("of %j fails before anything is started, in one line", async (argv, message) => {
    const { code, out, err, last } = await prompt(...argv);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(last).toContain(message);
    expect(err.trim().split("\n")).toHaveLength(1);
  });

  it("runs in the folder of --cwd", async () => {
    await mkdir(join(place.cwd, "inner"), { recursive: true });
    expect((await prompt("-C", "inner", "env")).out).toBe(`none ${join(place.cwd, "inner")}`);
  });
});

describe("the story", () => {
  it("is on stderr, the answer alone on stdout", async () => {
    const { out, err } = await prompt("story");
    expect(out).toBe("Done.\n");
    for (const tag of [
      "[commands] /plan /test",
      "[plan] 1/3 done",
      "[tool] Edit a.txt (running)",
      "[diff]",
    ]) {
      expect(err).toContain(tag);
    }
    expect(err).toMatch(/\[tool\] Edit a\.txt \(completed, \d+\.\d s\)/);
    expect(err).not.toContain("let me see");
    expect(err).not.toContain("brand_new_thing");
  });

  it("names some of the commands of an agent that has many", async () => {
    const { err } = await run([...withAgent("many-commands"), "hello"], inPlace());
    expect(err).toBe("[commands] /c0 /c1 /c2 /c3 /c4 /c5 /c6 /c7 and 12 more\n");
  });
  it("is not told in simple mode", async () => {
    expect(await prompt("-o", "simple", "story")).toMatchObject({ out: "Done.\n", err: "" });
  });

  it("has thoughts if they are wanted", async () => {
    expect((await prompt("--thoughts", "story")).err).toContain("[thought]\nlet me see\n");
  });

  it("has more with --verbose", async () => {
    const { err } = await prompt("-v", "story");
    expect(err).toContain("[agent] node: The CLI's agent 9.9");
    expect(err).toContain("[session] s1 (new)");
    expect(err).toContain('[unknown] update "brand_new_thing" ignored');
    expect(err).toContain("[usage] 120 of 1000 tokens");
  });

  it("shows the agent's stderr with --verbose", async () => {
    const { err } = await prompt("-v", "crash");
    expect(err).toContain("[stderr] the database is gone");
  });

  it("has colour when told, and none otherwise", async () => {
    expect((await prompt("--color", "always", "story")).err).toContain("\u001b[32m+2\u001b[39m");
    expect((await prompt("story")).err).not.toContain("\u001b");
    const forced = await run([...withAgent(), "story"], inPlace({ env: { FORCE_COLOR: "1" } }));
    expect(forced.err).toContain("\u001b[");
    const none = await run(
      [...withAgent(), "story"],
      inPlace({ stderrTty: true, env: { NO_COLOR: "1" } }),
    );
    expect(none.err).not.toContain("\u001b[3");
  });
});

describe("events", () => {
  it("end with a result, whatever happens", async () => {
    const all = events((await prompt("-o", "events", "story")).out);
    expect(all.every(({ v }) => v === 1)).toBe(true);
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "session",
      "thought",
      "commands",
      "plan",
      "tool",
      "tool",
      "tool",
      "usage",
      "unknown",
      "text",
      "result",
    ]);
    expect(all.at(-1)).toMatchObject({
      ok: true,
      exitCode: 0,
      text: "Done.\n",
      stopReason: "end_turn",
      usage: { used: 120, size: 1000, cost: { amount: 0.5, currency: "EUR" } },
      sessionId: "s1",
      denied: [],
      error: null,
    });
  });

  it("tell of refusals, failures and deaths in the result", async () => {
    const refused = events((await prompt("-o", "events", "edit")).out);
    expect(refused.find(({ type }) => type === "permission")).toMatchObject({
      outcome: "denied",
      hint: "--write",
    });
    expect(refused.at(-1)).toMatchObject({
      ok: true,
      denied: [{ outcome: "denied", hint: "--write" }],
    });
    const crashed = events((await prompt("-o", "events", "crash")).out).at(-1);
    expect(crashed).toMatchObject({
      type: "result",
      ok: false,
      exitCode: 8,
      text: "partial",
      stopReason: null,
      error: { kind: "died", exit: "exit code 3", stderr: "first words\nthe database is gone\n" },
    });
    const missing = events(
      (await run(["-o", "events", "--agent-command", "/no/such/agent", "x"], inPlace())).out,
    );
    expect(missing.at(-1)).toMatchObject({ type: "result", exitCode: 7, sessionId: null });
  });
});

describe("raw frames", () => {
  it("are mirrored byte for byte, after the one line about the agent", async () => {
    const { out, err } = await prompt("-j", "hello");
    const [first, ...frames] = out.trimEnd().split("\n");
    expect(JSON.parse(first ?? "")).toEqual({
      jsonrpc: "2.0",
      method: "client/selected_agent",
      params: { name: "node", command: "node" },
    });
    const methods = frames.map((line) => (JSON.parse(line) as { method?: string }).method);
    expect(methods).toEqual([
      "initialize",
      undefined,
      "session/new",
      undefined,
      "session/prompt",
      "session/update",
      "session/update",
      undefined,
    ]);
    expect(frames[5]).toBe(
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}',
    );
    expect(err).toBe("");
  });

  it("leave out what is no frame", async () => {
    const { out, err } = await prompt("--jsonl", "noise");
    for (const line of out.trimEnd().split("\n"))
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    expect(out).toContain(", and whole");
    expect(err).toContain("3 lines that are no protocol messages were ignored");
  });
});

describe("lists", () => {
  it("come in their order, with blank lines and the agent's name, before the answer", async () => {
    const argv = [...withAgent("commands-late", "auth"), "--auth", "login"];
    const { out, code } = await run(
      [...argv, "--list-commands", "--list-modes", "--list-caps", "hello"],
      inPlace(),
    );
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "Capabilities of node (The CLI's agent 9.9)",
        "  protocol version: 1",
        "  loadSession: yes",
        "  promptCapabilities.image: yes",
        "  sessionCapabilities.list: yes",
        "  sessionCapabilities.delete: yes",
        "  auth methods:",
        "    login: Log in",
        "",
        "Modes of node (The CLI's agent 9.9)",
        "* ask (Ask): asks first",
        "  code (Code)",
        "",
        "Commands of node (The CLI's agent 9.9)",
        "  /plan <what for>: make a plan",
        "  /test: run the tests",
        "Hello, world",
      ].join("\n"),
    );
  });

  it("need no prompt, and the first not even a session", async () => {
    const { out } = await run([...withAgent("hang-in-session"), "--list-caps"], inPlace());
    expect(out).toContain("Capabilities of node");
  });

  it("do not wait for commands for ever", async () => {
    const { out, code } = await run(
      [...withAgent("bare"), "--list-modes", "--list-commands"],
      inPlace(),
    );
    expect(code).toBe(0);
    expect(out).toContain("Modes of node (The CLI's agent 9.9)\n  none\n");
    expect(out).toContain("Commands of node (The CLI's agent 9.9)\n  the agent sent none\n");
  });

  it("take commands that were sent before the session was there", async () => {
    const { out } = await run([...withAgent("commands-first"), "--list-commands"], inPlace());
    expect(out).toContain("/plan <what for>: make a plan");
  });

  it("are events, or only frames, in the other formats", async () => {
    const flags = ["--list-caps", "--list-modes", "--list-commands"];
    const all = events(
      (await run([...withAgent("commands-first"), "-o", "events", ...flags], inPlace())).out,
    );
    expect(all.map(({ type }) => type)).toEqual([
      "agent",
      "capabilities",
      "session",
      "modes",
      "commands",
      "result",
    ]);
    const raw = await run([...withAgent("commands-first"), "-j", ...flags], inPlace());
    expect(raw.out).not.toContain("Capabilities of");
  });
});

describe("sessions", () => {
  it("are resumed by loading, and the replay stays away from stdout", async () => {
    expect(await prompt("--resume", "kept", "hello")).toMatchObject({
      code: 0,
      out: "Hello, world",
    });
  });

  it("are resumed without their replay on stdout though the agent answers before it is over", async () => {
    const [, ...args] = withAgent("late-replay")[1]?.split(" ") ?? [];
    // The name is what tells that this agent does so.
    await writeFile(
      join(place.cwd, "late.json"),
      JSON.stringify({ agent_servers: { gemini: { command: "node", args } } }),
    );
    const flags = ["--settings", "late.json", "-a", "gemini"];
    expect(
      (await run([...flags, "--resume", "kept", "hello"], { home: place.home, cwd: place.cwd }))
        .out,
    ).toBe("Hello, world");
    const shown = await run(["sessions", "show", "kept", ...flags], {
      home: place.home,
      cwd: place.cwd,
    });
    expect(shown.out).toContain("what was answered");
  });

  it("are resumed without loading where that is all there is", async () => {
    const { out, err } = await run(
      [...withAgent("no-load", "resume"), "-v", "--resume", "kept", "hello"],
      inPlace(),
    );
    expect(out).toBe("Hello, world");
    expect(err).toContain("[session] kept (resume)");
  });

  it.each([
    ["is unknown", [], "cannot reopen the session: Session not found"],
    ["cannot be resumed at all", ["no-load"], "cannot resume sessions"],
  ])("that %s end with 4, and no new one is made", async (_name, switches, message) => {
    const { code, out, last } = await run(
      [...withAgent(...switches), "--resume", "gone", "hello"],
      inPlace(),
    );
    expect({ code, out }).toEqual({ code: 4, out: "" });
    expect(last).toContain(message);
  });

  it("are continued by agent and folder", async () => {
    const other = await scratch();
    const options = { home: other.home, cwd: other.cwd };
    const first = await run([...withAgent(), "--continue", "hello"], options);
    expect(first.code).toBe(4);
    expect(first.last).toContain("there is no session of node");
    await run([...withAgent("session=kept"), "hello"], options);
    const again = await run([...withAgent(), "-c", "-v", "hello"], options);
    expect(again.err).toContain("[session] kept (load)");
    const elsewhere = await run([...withAgent(), "-c", "hello"], {
      home: other.home,
      cwd: other.home,
    });
    expect(elsewhere.code).toBe(4);
    await other.remove();
  });

  it("are saved by id", async () => {
    await prompt("--save-session", "id.txt", "hello");
    expect(await readFile(join(place.cwd, "id.txt"), "utf8")).toBe("s1\n");
    const failed = await prompt("--save-session", "gone/id.txt", "hello");
    expect(failed.code).toBe(2);
  });

  it("take a mode, a model and options", async () => {
    const flags = ["--mode", "code", "--model", "large", "--set", "fast=true"];
    expect((await prompt(...flags, "settings")).out).toBe("code large true");
    expect((await prompt("settings")).out).toBe("ask small false");
  });

  it.each([
    [["--mode", "cod"], 'unknown mode "cod"; there are: ask, code; try: code'],
    [["--model", "huge"], 'unknown model "huge"; there are: small, large'],
    [["--set", "fst=true"], 'unknown option "fst"; there are: model, fast; try: fast'],
    [["--set", "fast=maybe"], 'unknown value of fast "maybe"; there are: true, false'],
  ])("refuse %j and say what there is", async (flags, message) => {
    const { code, last } = await prompt(...flags, "hello");
    expect(code).toBe(2);
    expect(last).toContain(message);
  });

  it("have MCP servers from the settings", async () => {
    const settings = {
      agent_servers: {
        own: {
          command: "node",
          args: withAgent()[1]?.split(" ").slice(1),
          env: { SECRET_TOKEN: "hush-hush-hush" },
        },
      },
      mcp_servers: [
        { name: "files", command: "/bin/files", args: ["--x"], env: { KEY: "value" } },
        { name: "web", type: "http", url: "https://example.com/mcp" },
      ],
    };
    await writeFile(join(place.cwd, "s.json"), JSON.stringify(settings));
    const { out, err } = await run(["--settings", "s.json", "servers"], inPlace());
    expect(JSON.parse(out)).toMatchObject({
      cwd: place.cwd,
      mcpServers: [
        {
          name: "files",
          command: "/bin/files",
          args: ["--x"],
          env: [{ name: "KEY", value: "value" }],
        },
      ],
    });
    expect(err).toContain('the MCP server "web" is left out: own lacks mcpCapabilities.http');
    expect((await run(["--settings", "s.json", "env"], inPlace())).out).toBe(
      `hush-hush-hush ${place.cwd}`,
    );
  });
});

describe("recordings", () => {
  it("hold the wire with times, and no secrets", async () => {
    const settings = {
      agent_servers: {
        own: {
          command: "node",
          args: withAgent()[1]?.split(" ").slice(1),
          env: { SECRET_TOKEN: "hush-hush-hush" },
        },
      },
      mcp_servers: [{ name: "files", command: "/bin/files", env: { KEY: "very-secret-value" } }],
    };
    await writeFile(join(place.cwd, "s.json"), JSON.stringify(settings));
    const { out } = await run(["--settings", "s.json", "--record", "wire.jsonl", "env"], inPlace());
    expect(out).toContain("hush-hush-hush");
    const text = await readFile(join(place.cwd, "wire.jsonl"), "utf8");
    expect(text).not.toContain("hush-hush-hush");
    expect(text).not.toContain("very-secret-value");
    const [header, first] = text
      .split("\n")
      .map((line) => (line === "" ? {} : (JSON.parse(line) as object)));
    expect(header).toMatchObject({ recording: "dragoman", version: 1, redacted: true });
    expect(first).toMatchObject({ ms: 0, direction: "out" });
  });
});

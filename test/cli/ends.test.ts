import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ERROR_CODES, ProtocolViolation } from "../../src/acp/index.ts";
import { parseArguments } from "../../src/cli/args/parse.ts";
import { EXIT, EXIT_MEANINGS, CliError, failureLine } from "../../src/cli/exit.ts";
import { main } from "../../src/cli/main.ts";
import { classifyFailure, type Phase } from "../../src/cli/run/failure.ts";
import { limitsOf } from "../../src/cli/connect/limits.ts";
import {
  AuthRequiredError,
  CancelIgnoredError,
  CapabilityError,
  ConnectionError,
  InvalidArgumentError,
  RemoteError,
  SessionError,
  SpawnError,
  StartError,
  TimeoutError,
  UnsupportedVersionError,
} from "../../src/entries/dragoman.ts";
import { fakeIo } from "./support/io.ts";
import { isAlive, run, scratch, start, withAgent, type Scratch } from "./support/run.ts";

let place: Scratch;
beforeAll(async () => {
  place = await scratch();
});
afterAll(() => place.remove());
const where = () => ({ home: place.home, cwd: place.cwd });
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], where());

describe("the classifier", () => {
  const agent = {
    name: "a",
    command: "cmd",
    args: [],
    entry: undefined,
    from: "settings",
  } as const;
  const remote = (code: number, data?: unknown) =>
    new RemoteError({ code, message: "oh no", data }, "session/prompt");
  const exited = new ConnectionError({
    kind: "exited",
    exit: { code: 3, signal: null },
    stderr: "why\n",
  });
  const killed = new ConnectionError({
    kind: "exited",
    exit: { code: null, signal: "SIGKILL" },
    stderr: "",
  });
  const missing = new SpawnError("not-found", { command: "cmd" }, new Error("ENOENT"));

  it.each<[string, unknown, Phase, number, string]>([
    ["its own errors as they are", new CliError("session", { what: "x" }), "turn", 4, "x"],
    ["a command that is not there", missing, "start", 7, "cannot start"],
    ["a start that failed for that", new StartError(missing), "start", 7, "command not found"],
    [
      "a death while starting",
      new StartError(exited),
      "start",
      7,
      "a died while starting (exit code 3); its last stderr: why; try: dragoman doctor a",
    ],
    [
      "a death in the session",
      exited,
      "session",
      8,
      "a died while setting up the session (exit code 3)",
    ],
    ["a death in the turn", exited, "turn", 8, "a died during the turn (exit code 3)"],
    ["a death by a signal", killed, "turn", 8, "(signal SIGKILL)"],
    [
      "an end of the stream",
      new ConnectionError({ kind: "ended" }),
      "turn",
      8,
      "ended the connection",
    ],
    [
      "a broken stream",
      new ConnectionError({ kind: "failed", error: new Error("too long") }),
      "turn",
      8,
      "too long",
    ],
    [
      "a wrong version",
      new StartError(new UnsupportedVersionError(9)),
      "start",
      1,
      "a speaks version 9 of the protocol, this program version 1",
    ],
    [
      "a late start",
      new StartError(new TimeoutError("start", 5000, "initialize")),
      "start",
      3,
      "a was not ready after 5 s; try: a longer --start-timeout",
    ],
    [
      "a call without an answer",
      new TimeoutError("request", 5000, "session/new"),
      "session",
      3,
      "did not answer for 5 s",
    ],
    [
      "a silent turn",
      new TimeoutError("turnIdle", 5000, "session/prompt"),
      "turn",
      3,
      "silent for 5 s",
    ],
    [
      "a long turn",
      new TimeoutError("turn", 5000, "session/prompt"),
      "turn",
      3,
      "took longer than 5 s",
    ],
    ["a cancel that is ignored", new CancelIgnoredError(5000), "turn", 1, "ignored the cancel"],
    [
      "a cancel that is ignored after a limit",
      new CancelIgnoredError(5000, { cause: new TimeoutError("turn", 7000, "session/prompt") }),
      "turn",
      3,
      "took longer than 7 s and was cancelled; a ignored the cancel and was ended; try: a longer --timeout",
    ],
    [
      "an error of the agent's",
      remote(-32603, { details: "boom" }),
      "turn",
      1,
      "a answered session/prompt with an error: oh no: boom (error -32603)",
    ],
    ["an HTTP status for a code", remote(400), "turn", 1, "(error 400)"],
    [
      "an error on reopening",
      remote(ERROR_CODES.resourceNotFound),
      "reopen",
      4,
      "cannot reopen the session: oh no",
    ],
    [
      "no way to reopen",
      new CapabilityError("session/load", "loadSession"),
      "reopen",
      4,
      "cannot resume sessions",
    ],
    [
      "a session that is open already",
      new SessionError("session_open", "x"),
      "reopen",
      4,
      "already open on this client",
    ],
    [
      "no images",
      new CapabilityError("a prompt", "promptCapabilities.image"),
      "turn",
      2,
      "takes no images",
    ],
    [
      "another missing ability",
      new CapabilityError("session/list", "sessionCapabilities.list"),
      "session",
      2,
      "does not advertise sessionCapabilities.list",
    ],
    ["a wrong argument", new InvalidArgumentError("no such login"), "session", 2, "no such login"],
    [
      "a login with methods",
      new AuthRequiredError(remote(-32000), [{ id: "key", name: "Key" }]),
      "session",
      6,
      "(it offers key); try: --auth key",
    ],
    [
      "a login that can be run in the terminal before others",
      new AuthRequiredError(remote(-32000), [
        { id: "key", name: "Key" },
        { id: "browser", name: "Browser", type: "terminal" },
      ]),
      "session",
      6,
      "(it offers key, browser); try: --auth browser",
    ],
    [
      "a login without",
      new AuthRequiredError(remote(-32000), []),
      "turn",
      6,
      "try: dragoman doctor a",
    ],
    ["a login while starting", new StartError(remote(-32000)), "start", 6, "needs you to sign in"],
    [
      "a broken protocol",
      new ProtocolViolation("session/new", "sessionId", "a string", 1),
      "session",
      1,
      "a broke the protocol",
    ],
    ["anything else", new Error("odd"), "turn", 1, "odd"],
    ["what is no error", "odd", "turn", 1, "odd"],
  ])("knows %s", (_name, error, phase, code, line) => {
    const verdict = classifyFailure(error, {
      agent,
      phase,
      limits: limitsOf(parseArguments([]).values),
    });
    expect(verdict.code).toBe(code);
    expect(failureLine(verdict.details)).toContain(line);
  });

  it("gives every code a meaning", () => {
    expect(EXIT_MEANINGS.map(([code]) => code).toSorted((a, b) => a - b)).toEqual(
      Object.values(EXIT).toSorted((a, b) => a - b),
    );
  });
});

describe("failures", () => {
  it("of an agent that is not there name it and what to try", async () => {
    const { code, last } = await run(["--agent-command", "no-such-agent --x", "hi"], where());
    expect(code).toBe(7);
    expect(last).toContain('cannot start "no-such-agent": command not found; try: ');
  });

  it("of a catalogued agent tell how to install it", async () => {
    const { code, last } = await run(["-a", "goose", "hi"], { ...where(), env: { PATH: "" } });
    expect(code).toBe(7);
    expect(last).toMatch(/^cannot start "goose": command not found; try: curl .*goose/);
  });

  it("of authentication tell how to sign in", async () => {
    const { code, last } = await run([...withAgent("auth"), "hello"], where());
    expect(code).toBe(6);
    expect(last).toContain(
      "needs you to sign in: Authentication required (it offers login); try: --auth login",
    );
    const signedIn = await run([...withAgent("auth"), "--auth", "login", "hello"], where());
    expect(signedIn.out).toBe("Hello, world");
    const wrong = await run([...withAgent("auth"), "--auth", "other", "hello"], where());
    expect(wrong.code).toBe(2);
  });

  it("hide secrets of the settings", async () => {
    const { writeFile } = await import("node:fs/promises");
    const args = withAgent()[1]?.split(" ").slice(1);
    const settings = {
      agent_servers: { own: { command: "node", args, env: { X: "the database is gone" } } },
    };
    await writeFile(join(place.cwd, "secret.json"), JSON.stringify(settings));
    const { err, last } = await run(["--settings", "secret.json", "-v", "crash"], where());
    expect(err).not.toContain("database");
    expect(last).toContain("its last stderr: first words | [redacted]");
  });
});

describe("stop reasons", () => {
  it.each([
    [[], "max_tokens", 0],
    [["--fail-on", "refusal"], "max_tokens", 0],
    [["--fail-on", "refusal,max_tokens"], "max_tokens", 10],
    [["--fail-on", "any"], "a_new_reason", 10],
    [["--fail-on", "any"], "end_turn", 0],
  ])("with %j and %s it ends with %i", async (flags, reason, code) => {
    const ended = await prompt(...flags, `stop=${reason}`);
    expect(ended.code).toBe(code);
    if (code === 0 && reason !== "end_turn") expect(ended.last).toBe(`[stopped] ${reason}`);
    if (code === 10) expect(ended.last).toBe(`the turn stopped early: ${reason}`);
  });
});

describe("limits", () => {
  it.each([
    ["--timeout", "hang", "the turn took longer than 0.3 s and was cancelled"],
    ["--idle-timeout", "hang", "was silent for 0.3 s; the turn was cancelled"],
  ])("%s cancels, and ends with 3", async (flag, turn, message) => {
    const { code, out, last } = await prompt(flag, "300ms", "--start-timeout", "60s", "-j", turn);
    expect(code).toBe(3);
    expect(last).toContain(message);
    expect(out).toContain('"method":"session/cancel"');
    expect(out.trimEnd().split("\n").at(-1)).toContain('"stopReason":"cancelled"');
  });

  const raise = "a longer --timeout, or a --start-timeout for all that comes before the turn";
  it("--timeout limits the start too, and says how to raise it", async () => {
    const flags = ["--timeout", "300ms", "x"];
    expect(await run([...withAgent("hang-in-initialize"), ...flags], where())).toMatchObject({
      code: 3,
      last: `node was not ready after 0.3 s; try: ${raise}`,
    });
  });
  it.each([
    [[], { start: 60_000, request: 120_000, turn: 0 }],
    [["--timeout", "3"], { start: 3000, request: 3000, turn: 3000, raiseRequest: raise }],
    [
      ["--timeout", "90"],
      { start: 60_000, request: 90_000, raiseStart: "a longer --start-timeout" },
    ],
    [["--timeout", "1h"], { start: 60_000, request: 120_000, raiseRequest: undefined }],
    [["--timeout", "3", "--start-timeout", "5"], { start: 5000, request: 120_000, turn: 3000 }],
  ])("of %j are %j", (argv, limits) => {
    expect(limitsOf(parseArguments(argv).values)).toMatchObject(limits);
  });
  it("--start-timeout alone limits the start where both are given", async () => {
    const flags = ["--timeout", "1ms", "--start-timeout", "300ms", "--list-caps"];
    const { code, last } = await run([...withAgent("hang-in-initialize"), ...flags], where());
    expect({ code, last }).toEqual({
      code: 3,
      last: "node was not ready after 0.3 s; try: a longer --start-timeout",
    });
  });
  it("--start-timeout ends an agent that does not get ready", async () => {
    const { code, last } = await run(
      [...withAgent("hang-in-initialize"), "--start-timeout", "300ms", "x"],
      where(),
    );
    expect(code).toBe(3);
    expect(last).toContain("was not ready after 0.3 s");
  });
});

describe("signals", () => {
  it.each([
    ["SIGINT", 130, "; Ctrl-C again ends it at once"],
    ["SIGTERM", 143, ""],
    ["SIGHUP", 129, ""],
  ] as const)("the first %s asks the agent to cancel", async (name, code, more) => {
    const file = join(place.cwd, `pid-${name}`);
    const { io, ended } = start([...withAgent(`pid-file=${file}`), "hang"], where());
    await io.out.waitFor("waiting");
    io.signal(name);
    const result = await ended;
    expect(result.code).toBe(code);
    expect(result.err).toContain(`asking node to cancel${more}\n`);
    expect(result.out).toBe("waiting");
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
    expect(io.listening()).toBe(0);
  });

  it("the second ends it", async () => {
    const file = join(place.cwd, "pid-second");
    const { io, ended } = start(
      [...withAgent(`pid-file=${file}`, "ignore-signals", "ignore-eof"), "deaf"],
      where(),
    );
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    await io.err.waitFor("asking node to cancel");
    io.signal("SIGINT");
    const { code, last } = await ended;
    expect({ code, last }).toEqual({ code: 130, last: "interrupted" });
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });

  it("an agent that ignores the cancel is ended after a while, and it is still 130", async () => {
    const file = join(place.cwd, "pid-deaf");
    const { io, ended } = start([...withAgent(`pid-file=${file}`), "deaf"], where());
    await io.out.waitFor("waiting");
    io.signal("SIGINT");
    expect((await ended).code).toBe(130);
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  }, 20_000);

  it.each(["hang-in-initialize", "hang-in-session"])(
    "during %s it ends at once and blames nobody",
    async (how) => {
      const file = join(place.cwd, `pid-${how}`);
      const { io, ended } = start([...withAgent(how, `pid-file=${file}`), "-j", "x"], where());
      await io.out.waitFor(how === "hang-in-session" ? '"session/new"' : '"initialize"');
      io.signal("SIGINT");
      const { code, err } = await ended;
      expect({ code, err }).toEqual({ code: 130, err: "dragoman: interrupted\n" });
      expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
    },
  );
});

describe("a reader that has gone", () => {
  it("ends the turn quietly", async () => {
    const file = join(place.cwd, "pid-pipe");
    let read = 0;
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        read += chunk.length;
        done(read > 20 ? Object.assign(new Error("EPIPE"), { code: "EPIPE" }) : undefined);
      },
    });
    const io = { ...fakeIo(where()), stdout: { stream, isTty: false, columns: () => undefined } };
    const code = await main([...withAgent(`pid-file=${file}`), "lines"], io);
    expect(code).toBe(0);
    expect(io.err.text).toBe("");
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });
});

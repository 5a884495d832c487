import { describe, expect, it } from "vitest";
import { ERROR_CODES, ProtocolViolation } from "../../../../src/protocol/acp/index.ts";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { CliError, failureLine } from "../../../../src/apps/cli/shell/exit.ts";
import { classifyFailure, type Phase } from "../../../../src/apps/cli/connect/failure.ts";
import { HubLostError } from "../../../../src/apps/cli/warm/frames.ts";
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
} from "../../../../src/entries/dragoman.ts";
import { expectRefused, foldersForAll } from "../commands/setup.ts";
import { events, run, withAgent } from "../support/run.ts";
import { runTimeouts } from "../../../../src/apps/cli/connect/timeouts.ts";

describe("the line about", () => {
  const agent = {
    name: "a",
    command: "cmd",
    args: [],
    entry: undefined,
    from: "settings",
  } as const;
  const remote = (code: number, data?: unknown) =>
    new RemoteError({ code, message: "oh no", data }, "session/prompt");
  const inHub = (data: object) => new StartError(remote(-32603, data));
  const exited = (code: number | null, signal: NodeJS.Signals | null, stderr: string) =>
    new ConnectionError({ kind: "exited", exit: { code, signal }, stderr });
  const failed = (error: Error) => new ConnectionError({ kind: "failed", error });
  const died = exited(3, null, "why\n");
  const missing = new SpawnError("not-found", { command: "cmd" }, new Error("ENOENT"));
  const version = (...args: ConstructorParameters<typeof UnsupportedVersionError>) =>
    new StartError(new UnsupportedVersionError(...args));
  const late = (limit: TimeoutError["limit"], ms = 5000, options: ErrorOptions = {}) =>
    new TimeoutError(limit, ms, "a call", options);
  const lacks = (capability: string) => new CapabilityError("a call", capability);
  const login = (...methods: ConstructorParameters<typeof AuthRequiredError>[1]) =>
    new AuthRequiredError(remote(-32000), methods);
  const key = { id: "key", name: "Key" };
  const unknown = "; the outcome of the prompt is unknown";
  const hub = "; try: dragoman hub logs";

  it.each<readonly [Phase, unknown, code: number, line: string]>([
    ["turn", new CliError("session", { what: "x" }), 4, "x"],
    ["start", missing, 7, "cannot start"],
    ["start", new StartError(missing), 7, "command not found"],
    [
      "start",
      new StartError(died),
      7,
      "a died while starting (exit code 3); stderr ends with: why; try: dragoman doctor a",
    ],
    [
      "turn",
      remote(-32005, { reason: "agent_ended", exit: 3, signal: null, stderr: "why\n" }),
      8,
      `a died during the turn${unknown} (exit code 3); stderr ends with: why`,
    ],
    [
      "start",
      inHub({ reason: "agent_ended", exit: null, signal: "SIGKILL" }),
      7,
      "a died while starting (signal SIGKILL)",
    ],
    ["start", inHub({ reason: "cannot_start" }), 7, "oh no; try: dragoman doctor a"],
    ["turn", failed(new HubLostError()), 8, `the hub with a ended during the turn${unknown}${hub}`],
    ["session", failed(new HubLostError()), 8, `a ended while setting up the session${hub}`],
    ["session", died, 8, "a died while setting up the session (exit code 3)"],
    ["turn", died, 8, "a died during the turn (exit code 3)"],
    ["turn", exited(null, "SIGKILL", ""), 8, "(signal SIGKILL)"],
    ["turn", new ConnectionError({ kind: "ended" }), 8, "closed the connection"],
    ["turn", failed(new Error("too long")), 8, "too long"],
    ["start", version(9), 1, "a speaks version 9 of the protocol, but Dragoman speaks version 1"],
    [
      "start",
      version(1, 2),
      7,
      "a does not speak version 2 of the protocol, only version 1; try: --protocol newest",
    ],
    [
      "start",
      version(2),
      7,
      "a speaks version 2 of the protocol, but not version 1; try: --protocol 2",
    ],
    [
      "start",
      version(3, "newest"),
      1,
      "a speaks version 3 of the protocol, but Dragoman speaks versions 1 and 2",
    ],
    [
      "start",
      new StartError(late("startMs")),
      3,
      "a was not ready after 5 s; try: a longer --start",
    ],
    ["session", late("requestMs"), 3, "did not answer for 5 s"],
    ["turn", late("turnIdleMs"), 3, "silent for 5 s"],
    ["turn", late("turnMs"), 3, "took longer than 5 s"],
    ["turn", new CancelIgnoredError(5000), 1, "ignored the cancel"],
    [
      "turn",
      late("turnMs", 7000, { cause: new CancelIgnoredError(5000) }),
      3,
      "took longer than 7 s and was cancelled; a ignored the cancel and was terminated; try: a longer --timeout",
    ],
    [
      "turn",
      remote(-32603, { details: "boom" }),
      1,
      "a answered session/prompt with an error: oh no: boom (error -32603)",
    ],
    ["turn", remote(400), 1, "(error 400)"],
    ["reopen", remote(ERROR_CODES.resourceNotFound), 4, "cannot reopen the session: oh no"],
    ["reopen", lacks("loadSession"), 4, "cannot resume sessions"],
    ["reopen", new SessionError("session_open", "x"), 4, "already open on this client"],
    ["turn", lacks("promptCapabilities.image"), 2, "does not accept images"],
    ["session", lacks("sessionCapabilities.list"), 2, "not advertise sessionCapabilities.list"],
    ["session", new InvalidArgumentError("no such login"), 2, "no such login"],
    ["session", login(key), 6, "(it offers key); try: --auth key"],
    [
      "session",
      login(key, { id: "browser", name: "Browser", type: "terminal" }),
      6,
      "(it offers key, browser); try: --auth browser",
    ],
    ["turn", login(), 6, "try: dragoman doctor a"],
    ["start", new StartError(remote(-32000)), 6, "needs you to sign in"],
    [
      "session",
      new ProtocolViolation("session/new", "sessionId", "x", 1),
      1,
      "a violated the prot",
    ],
    ["turn", new Error("odd"), 1, "odd"],
    ["turn", "odd", 1, "odd"],
  ])("a failure in the phase %s, %o, has the exit code %i: %s", (phase, error, code, line) => {
    const limits = runTimeouts(GRAMMAR.parse([]).values);
    const verdict = classifyFailure(error, { agent, phase, limits });
    expect(verdict.code).toBe(code);
    expect(failureLine(verdict.details)).toContain(line);
  });
});

const folders = foldersForAll();
const dragoman = (...argv: string[]) => run(argv, folders);
const prompt = (...argv: string[]) => dragoman(...withAgent(), ...argv);

describe("a run", () => {
  const auth = withAgent("auth");
  const crashed =
    "died during the turn (exit code 3); stderr ends with: first words | the database is gone; try: dragoman doctor";
  it.each([
    [["--agent-command", "no-such-agent --x"], "x", 7, 'cannot start "no-such-agent": command not'],
    [
      ["--agent-command", "echo error: unknown option --acp"],
      "x",
      7,
      /^echo died while starting \(exit code 0\); stdout ends with: error: unknown option --acp; try/,
    ],
    [
      ["--agent-command", "sh -c 'echo hello; exec sleep 60'", "--start-timeout", "1200ms"],
      "x",
      7,
      "sh does not speak the protocol: it printed other text and then nothing for 0.3 s; stdout ends with: hello; try: another command, or a longer --start-timeout",
    ],
    [withAgent("die-in-initialize"), "x", 7, "died while starting (exit code 4); stderr ends with"],
    [withAgent("protocol=9"), "x", 1, "speaks version 9"],
    [withAgent("protocol=one"), "x", 1, "protocolVersion"],
    [withAgent(), "nothing", 1, "stopReason"],
    [withAgent(), "error", 1, "model exploded"],
    [[...withAgent(), "-o", "simple"], "crash", 8, crashed],
    [[...withAgent(), "-o", "jsonl"], "crash", 8, crashed],
    [auth, "x", 6, "you to sign in: Authentication required (it offers login); try: --auth login"],
    [[...auth, "--auth", "other"], "x", 2, "it offers: login"],
  ])("of %j with the prompt %j fails with %i: %s", (argv, turn, code, line) =>
    expectRefused(dragoman(...argv, turn), line, code),
  );
  it("of an agent in the catalogue that is missing says how to install it", async () => {
    const running = run(["-a", "goose", "hi"], { ...folders, env: { PATH: "" } });
    await expectRefused(running, /^cannot start "goose": command not found; try: curl .*goose/, 7);
  });
  it("works after the login that it needs", async () => {
    expect((await dragoman(...auth, "--auth", "login", "hello")).out).toBe("Hello, world");
  });
  it("of a chat ends with an agent that crashes", async () => {
    const chat = run(["chat", ...withAgent()], { ...folders, stdin: "hello\ncrash\nhello\n" });
    await expectRefused(chat, "exit code 3", 8);
  });
});

describe("time limits", () => {
  it.each([
    ["--timeout", "the turn took longer than 0.3 s and was cancelled; try: a longer --timeout"],
    ["--idle-timeout", "was silent for 0.3 s; the turn was cancelled"],
  ])("%s cancels the turn and exits with 3", async (flag, message) => {
    const limits = [flag, "300ms", "--start-timeout", "60s"];
    const { code, out, last } = await prompt(...limits, "-j", "hang");
    expect(code).toBe(3);
    expect(last).toContain(message);
    expect(out).toContain('"method":"session/cancel"');
    expect(out.trimEnd().split("\n").at(-1)).toContain('"stopReason":"cancelled"');
    expect(events((await prompt(...limits, "-o", "events", "hang")).out).at(-1)).toMatchObject({
      sessionId: "s1",
      error: { kind: "timeout" },
    });
  });

  const raise = "a longer --timeout, or a --start-timeout for everything before the turn";
  it.each([
    ["--timeout also limits the start", ["--timeout", "300ms", "x"], raise],
    ["--start-timeout limits it", ["--start-timeout", "300ms", "x"], "a longer --start-timeout"],
    [
      "only --start-timeout limits it if both are given",
      ["--timeout", "1ms", "--start-timeout", "300ms", "--list-caps"],
      "a longer --start-timeout",
    ],
  ])("%s, and the failure says how to raise it", (_case, argv, hint) =>
    expectRefused(
      dragoman(...withAgent("hang-in-initialize"), ...argv),
      `node was not ready after 0.3 s; try: ${hint}`,
      3,
    ),
  );
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
    expect(runTimeouts(GRAMMAR.parse(argv).values)).toMatchObject(limits);
  });
});

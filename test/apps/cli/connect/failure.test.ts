import { describe, expect, it } from "vitest";
import { ERROR_CODES, ProtocolViolation } from "../../../../src/protocol/acp/index.ts";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { CliError, failureLine } from "../../../../src/apps/cli/shell/exit.ts";
import { classifyFailure, type Phase, limitsOf } from "../../../../src/apps/cli/connect/failure.ts";
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

describe("classifyFailure", () => {
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
    ["a CliError without changes", new CliError("session", { what: "x" }), "turn", 4, "x"],
    ["a command that was not found", missing, "start", 7, "cannot start"],
    ["a start that failed because of it", new StartError(missing), "start", 7, "command not found"],
    [
      "an agent that dies while starting",
      new StartError(exited),
      "start",
      7,
      "a died while starting (exit code 3); stderr ends with: why; try: dragoman doctor a",
    ],
    [
      "an agent that dies in a hub",
      remote(-32005, { reason: "agent_ended", exit: 3, signal: null, stderr: "why\n" }),
      "turn",
      8,
      "a died during the turn; the outcome of the prompt is unknown (exit code 3); stderr ends with: why",
    ],
    [
      "an agent that dies while a hub starts it",
      new StartError(remote(-32603, { reason: "agent_ended", exit: null, signal: "SIGKILL" })),
      "start",
      7,
      "a died while starting (signal SIGKILL)",
    ],
    [
      "an agent that a hub cannot start",
      new StartError(remote(-32603, { reason: "cannot_start" })),
      "start",
      7,
      "oh no; try: dragoman doctor a",
    ],
    [
      "a hub that ends during a turn",
      new ConnectionError({ kind: "failed", error: new HubLostError() }),
      "turn",
      8,
      "the hub with a ended during the turn; the outcome of the prompt is unknown; try: dragoman hub logs",
    ],
    [
      "a hub that ends while a session is opened",
      new ConnectionError({ kind: "failed", error: new HubLostError() }),
      "session",
      8,
      "the hub with a ended while setting up the session; try: dragoman hub logs",
    ],
    [
      "an agent that dies while setting up the session",
      exited,
      "session",
      8,
      "a died while setting up the session (exit code 3)",
    ],
    [
      "an agent that dies during the turn",
      exited,
      "turn",
      8,
      "a died during the turn (exit code 3)",
    ],
    ["an agent that dies from a signal", killed, "turn", 8, "(signal SIGKILL)"],
    [
      "a stream that ends",
      new ConnectionError({ kind: "ended" }),
      "turn",
      8,
      "closed the connection",
    ],
    [
      "a stream that fails",
      new ConnectionError({ kind: "failed", error: new Error("too long") }),
      "turn",
      8,
      "too long",
    ],
    [
      "an unsupported protocol version",
      new StartError(new UnsupportedVersionError(9)),
      "start",
      1,
      "a speaks version 9 of the protocol, but Dragoman speaks version 1",
    ],
    [
      "an agent that does not speak the version asked for",
      new StartError(new UnsupportedVersionError(1, 2)),
      "start",
      7,
      "a does not speak version 2 of the protocol, only version 1; try: --protocol newest",
    ],
    [
      "an agent that speaks only version 2",
      new StartError(new UnsupportedVersionError(2)),
      "start",
      7,
      "a speaks version 2 of the protocol, but not version 1; try: --protocol 2",
    ],
    [
      "an agent that speaks only a later version",
      new StartError(new UnsupportedVersionError(3, "newest")),
      "start",
      1,
      "a speaks version 3 of the protocol, but Dragoman speaks versions 1 and 2",
    ],
    [
      "a start that takes too long",
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
      "a turn that is silent too long",
      new TimeoutError("turnIdle", 5000, "session/prompt"),
      "turn",
      3,
      "silent for 5 s",
    ],
    [
      "a turn that takes too long",
      new TimeoutError("turn", 5000, "session/prompt"),
      "turn",
      3,
      "took longer than 5 s",
    ],
    ["an ignored cancel", new CancelIgnoredError(5000), "turn", 1, "ignored the cancel"],
    [
      "an ignored cancel after a time limit",
      new CancelIgnoredError(5000, { cause: new TimeoutError("turn", 7000, "session/prompt") }),
      "turn",
      3,
      "took longer than 7 s and was cancelled; a ignored the cancel and was terminated; try: a longer --timeout",
    ],
    [
      "an error from the agent",
      remote(-32603, { details: "boom" }),
      "turn",
      1,
      "a answered session/prompt with an error: oh no: boom (error -32603)",
    ],
    ["an HTTP status as the code", remote(400), "turn", 1, "(error 400)"],
    [
      "an error while reopening",
      remote(ERROR_CODES.resourceNotFound),
      "reopen",
      4,
      "cannot reopen the session: oh no",
    ],
    [
      "an agent that cannot reopen sessions",
      new CapabilityError("session/load", "loadSession"),
      "reopen",
      4,
      "cannot resume sessions",
    ],
    [
      "a session that is already open",
      new SessionError("session_open", "x"),
      "reopen",
      4,
      "already open on this client",
    ],
    [
      "an agent without images",
      new CapabilityError("a prompt", "promptCapabilities.image"),
      "turn",
      2,
      "does not accept images",
    ],
    [
      "another missing capability",
      new CapabilityError("session/list", "sessionCapabilities.list"),
      "session",
      2,
      "does not advertise sessionCapabilities.list",
    ],
    [
      "an invalid argument",
      new InvalidArgumentError("no such login"),
      "session",
      2,
      "no such login",
    ],
    [
      "a required login with methods",
      new AuthRequiredError(remote(-32000), [{ id: "key", name: "Key" }]),
      "session",
      6,
      "(it offers key); try: --auth key",
    ],
    [
      "a login in the terminal before others",
      new AuthRequiredError(remote(-32000), [
        { id: "key", name: "Key" },
        { id: "browser", name: "Browser", type: "terminal" },
      ]),
      "session",
      6,
      "(it offers key, browser); try: --auth browser",
    ],
    [
      "a required login without methods",
      new AuthRequiredError(remote(-32000), []),
      "turn",
      6,
      "try: dragoman doctor a",
    ],
    [
      "a required login while starting",
      new StartError(remote(-32000)),
      "start",
      6,
      "needs you to sign in",
    ],
    [
      "a protocol violation",
      new ProtocolViolation("session/new", "sessionId", "a string", 1),
      "session",
      1,
      "a violated the protocol",
    ],
    ["any other error", new Error("odd"), "turn", 1, "odd"],
    ["a thrown value that is not an error", "odd", "turn", 1, "odd"],
  ])("classifies %s", (_name, error, phase, code, line) => {
    const verdict = classifyFailure(error, {
      agent,
      phase,
      limits: limitsOf(GRAMMAR.parse([]).values),
    });
    expect(verdict.code).toBe(code);
    expect(failureLine(verdict.details)).toContain(line);
  });
});

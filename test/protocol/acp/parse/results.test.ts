import { describe, expect, test } from "vitest";
import {
  readConfigOptionsResult,
  readEmptyResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPromptResult,
  readSetupResult,
  readCreateTerminalResult,
  readElicitationResult,
  readExitResult,
  readFileResult,
  readPermissionResult,
  readTerminalOutputResult,
  ProtocolViolation,
  readAuthStatus,
  readMcpMessageResult,
  readProvidersResult,
  readSessionStatusResult,
  readSessionTitleResult,
} from "../../../../src/protocol/acp/index.ts";

const newSession = (result: unknown) => readNewSessionResult("session/new", result);
const load = (result: unknown) => readSetupResult("session/load", result);
const authStatus = (result: unknown) => readAuthStatus("auth/status", result);
const write = (result: unknown) => readEmptyResult("fs/write_text_file", result);

type Reader = (result: unknown) => unknown;

/** For each reader and its method: results that break the protocol, each with the path of the fault. */
const BROKEN: readonly (readonly [Reader, string, ...(readonly [unknown, string][])])[] = [
  [
    readInitializeResult,
    "initialize",
    [null, ""],
    [{}, "protocolVersion"],
    [{ protocolVersion: "1" }, "protocolVersion"],
    [{ protocolVersion: 1.5 }, "protocolVersion"],
  ],
  [
    newSession,
    "session/new",
    [null, ""],
    [{}, "sessionId"],
    [{ sessionId: "" }, "sessionId"],
    [{ sessionId: 7 }, "sessionId"],
  ],
  [load, "session/load", ["ok", ""], [[], ""]],
  [
    readListResult,
    "session/list",
    [{}, "sessions"],
    [{ sessions: [null] }, "sessions[0]"],
    [{ sessions: [{ sessionId: "a", cwd: "/" }, {}] }, "sessions[1].sessionId"],
    [{ sessions: [{ sessionId: "a" }] }, "sessions[0].cwd"],
  ],
  [
    readPromptResult,
    "session/prompt",
    [{}, "stopReason"],
    [{ stop_reason: "end_turn" }, "stopReason"],
    [null, ""],
  ],
  [readConfigOptionsResult, "session/set_config_option", [{}, "configOptions"]],
  [write, "fs/write_text_file", [true, ""]],
  [
    readPermissionResult,
    "session/request_permission",
    [{}, "outcome"],
    [{ outcome: "selected" }, "outcome"],
    [{ outcome: { outcome: "granted" } }, "outcome.outcome"],
    [{ outcome: { outcome: "selected" } }, "outcome.optionId"],
  ],
  [readFileResult, "fs/read_text_file", [{ text: "x" }, "content"]],
  [readCreateTerminalResult, "terminal/create", [{}, "terminalId"]],
  [
    readTerminalOutputResult,
    "terminal/output",
    [{ truncated: false }, "output"],
    [{ output: "" }, "truncated"],
  ],
  [readExitResult, "terminal/wait_for_exit", [null, ""]],
  [
    readElicitationResult,
    "elicitation/create",
    [{ action: "maybe" }, "action"],
    [{ action: "accept", content: [] }, "content"],
    [{ action: "accept", content: { a: {} } }, "content.a"],
  ],
  [authStatus, "auth/status", [{}, "state"]],
  [
    readProvidersResult,
    "providers/list",
    [{}, "providers"],
    [{ providers: [{}] }, "providers[0].providerId"],
  ],
  [readSessionStatusResult, "session/status", [{ status: 1 }, "status"]],
  [readSessionTitleResult, "session/set_title", [null, ""]],
  [readMcpMessageResult, "mcp/message", [{ error: { code: "x" } }, "result"]],
];

describe("a result that breaks the protocol", () => {
  test.each(
    BROKEN.flatMap(([read, method, ...faults]) =>
      faults.map(([result, path]) => [method, result, path, read] as const),
    ),
  )("of %s, %j, throws an error that names the method and %j", (method, result, path, read) => {
    let thrown: unknown;
    try {
      read(result);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(ProtocolViolation);
    expect(thrown).toMatchObject({ name: "ProtocolViolation", method, path });
    expect(String(thrown)).toContain(path);
    expect(String(thrown)).toContain(method);
  });

  test("is described in the error message", () => {
    expect(() => readPromptResult({})).toThrow(
      'session/prompt: "stopReason" in the result should be a non-empty string, but is missing',
    );
    expect(() => readInitializeResult({ protocolVersion: "one" })).toThrow(
      'initialize: "protocolVersion" in the result should be an integer, but is the string "one"',
    );
    expect(() => load(false)).toThrow(
      "session/load: the result should be an object, but is the boolean false",
    );
  });
});

describe("a valid agent result", () => {
  test("of initialize is read with its raw value", () => {
    const raw = {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, novel: {} },
      authMethods: [
        { id: "a", name: "A" },
        { id: "t", name: "T", type: "terminal", args: ["login"], env: { K: "v" } },
        { id: "x", name: "X", type: "retina" },
        { id: "b", name: "B", type: "terminal", args: "login" },
      ],
      agentInfo: { name: "n", version: "1" },
      extra: 1,
    };
    const result = readInitializeResult(raw);
    expect(result.raw).toBe(raw);
    expect(result.rawCapabilities).toBe(raw.agentCapabilities);
    expect(result.agentCapabilities.loadSession).toBe(true);
    expect(result.authMethods.map((method) => method.id)).toEqual(["a", "t"]);
    expect(result.agentInfo).toEqual({ name: "n", version: "1" });
    expect(readInitializeResult({ protocolVersion: 2 })).toMatchObject({
      protocolVersion: 2,
      authMethods: [],
      agentInfo: undefined,
      rawCapabilities: {},
    });
  });

  test("of session setup may be null, as in the protocol's examples", () => {
    const modes = { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] };
    expect(newSession({ sessionId: "s", modes, configOptions: null })).toMatchObject({
      sessionId: "s",
      modes,
      configOptions: undefined,
    });
    expect(load(null)).toEqual({ modes: undefined, configOptions: undefined, raw: {} });
    expect(load({ modes: { currentModeId: 3 } }).modes).toBeUndefined();
    expect(write(null)).toEqual({});
    expect(write({ _meta: {} })).toEqual({ _meta: {} });
  });

  test("of session/list has a cursor except on the last page", () => {
    const sessions = [{ sessionId: "a", cwd: "/" }];
    expect(readListResult({ sessions, nextCursor: "n" })).toMatchObject({
      sessions,
      nextCursor: "n",
    });
    expect(readListResult({ sessions: [], nextCursor: null }).nextCursor).toBeUndefined();
  });

  test("of session/prompt keeps an unknown stop reason", () => {
    expect(readPromptResult({ stopReason: "end_turn" }).stopReason).toBe("end_turn");
    expect(readPromptResult({ stopReason: "bored" }).stopReason).toBe("bored");
  });

  test("of session/set_config_option has the options", () => {
    const options = [{ id: "f", name: "F", type: "boolean", currentValue: true }];
    expect(readConfigOptionsResult({ configOptions: options }).configOptions).toEqual(options);
  });
});

test("valid client results are read", () => {
  expect(readPermissionResult({ outcome: { outcome: "cancelled" } })).toEqual({
    outcome: "cancelled",
  });
  expect(readPermissionResult({ outcome: { outcome: "selected", optionId: "a" } })).toEqual({
    outcome: "selected",
    optionId: "a",
  });
  expect(readFileResult({ content: "" })).toBe("");
  expect(readCreateTerminalResult({ terminalId: "t" })).toBe("t");
  expect(readTerminalOutputResult({ output: "o", truncated: true, exitStatus: null })).toEqual({
    output: "o",
    truncated: true,
    exitStatus: undefined,
  });
  expect(
    readTerminalOutputResult({ output: "", truncated: false, exitStatus: { exitCode: 0 } })
      .exitStatus,
  ).toEqual({ exitCode: 0, signal: null });
  expect(readExitResult({ exitCode: null, signal: "SIGKILL" })).toEqual({
    exitCode: null,
    signal: "SIGKILL",
  });
  expect(readElicitationResult({ action: "accept", content: { a: 1, b: ["x"] } })).toEqual({
    action: "accept",
    content: { a: 1, b: ["x"] },
  });
  expect(readElicitationResult({ action: "accept" })).toEqual({ action: "accept", content: {} });
  expect(readElicitationResult({ action: "decline" })).toEqual({ action: "decline" });
});

describe("results of unstable methods", () => {
  test("an unknown auth state reads as unknown, and malformed accounts are left out", () => {
    expect(authStatus({ state: "_sleeping", accounts: [{ label: "Key" }, { name: "x" }] })).toEqual(
      {
        state: "unknown",
        accounts: [{ label: "Key" }],
      },
    );
    expect(authStatus({ state: "not_required" })).toEqual({ state: "not_required", accounts: [] });
  });

  test("an unknown session status reads as saved", () => {
    expect(readSessionStatusResult({ status: "open" })).toBe("open");
    expect(readSessionStatusResult({ status: "frozen" })).toBe("saved");
  });

  test("a disabled provider has no routing", () => {
    const main = { providerId: "main", supported: ["openai"], required: true };
    expect(readProvidersResult({ providers: [{ ...main, current: null }] })).toEqual([
      { ...main, current: undefined },
    ]);
    const current = { apiType: "openai", baseUrl: "http://localhost" };
    expect(readProvidersResult({ providers: [{ ...main, current }] })).toEqual([
      { ...main, current },
    ]);
  });

  test("an MCP result may be null, and counts if there is an error too", () => {
    const error = { code: 1, message: "no" };
    expect(readMcpMessageResult({ result: null })).toEqual({ result: null });
    expect(readMcpMessageResult({ result: 1, error })).toEqual({ result: 1 });
    expect(readMcpMessageResult({ error })).toEqual({ error });
  });

  test("the usage of a turn is read with the switch only", () => {
    const usage = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
    const raw = { stopReason: "end_turn", usage };
    expect(readPromptResult(raw, true)).toEqual({ stopReason: "end_turn", usage, raw });
    expect(readPromptResult(raw)).toEqual({ stopReason: "end_turn", raw });
    const odd = { stopReason: "end_turn", usage: { totalTokens: -1 } };
    expect(readPromptResult(odd, true)).toEqual({ stopReason: "end_turn", raw: odd });
  });
});

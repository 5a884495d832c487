import { describe, expect, test } from "vitest";

import {
  ProtocolViolation,
  readConfigOptionsResult,
  readCreateTerminalResult,
  readElicitationResult,
  readEmptyResult,
  readExitResult,
  readFileResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPermissionResult,
  readPromptResult,
  readSetupResult,
  readTerminalOutputResult,
} from "../../src/acp/index.ts";

const newSession = (result: unknown) => readNewSessionResult("session/new", result);
const load = (result: unknown) => readSetupResult("session/load", result);
const write = (result: unknown) => readEmptyResult("fs/write_text_file", result);

describe("results that break the protocol name the method and the field", () => {
  test.each<[(result: unknown) => unknown, unknown, string, string]>([
    [readInitializeResult, null, "initialize", ""],
    [readInitializeResult, {}, "initialize", "protocolVersion"],
    [readInitializeResult, { protocolVersion: "1" }, "initialize", "protocolVersion"],
    [readInitializeResult, { protocolVersion: 1.5 }, "initialize", "protocolVersion"],
    [newSession, null, "session/new", ""],
    [newSession, {}, "session/new", "sessionId"],
    [newSession, { sessionId: "" }, "session/new", "sessionId"],
    [newSession, { sessionId: 7 }, "session/new", "sessionId"],
    [load, "ok", "session/load", ""],
    [load, [], "session/load", ""],
    [readListResult, {}, "session/list", "sessions"],
    [readListResult, { sessions: [null] }, "session/list", "sessions[0]"],
    [
      readListResult,
      { sessions: [{ sessionId: "a", cwd: "/" }, {}] },
      "session/list",
      "sessions[1].sessionId",
    ],
    [readListResult, { sessions: [{ sessionId: "a" }] }, "session/list", "sessions[0].cwd"],
    [readPromptResult, {}, "session/prompt", "stopReason"],
    [readPromptResult, { stop_reason: "end_turn" }, "session/prompt", "stopReason"],
    [readPromptResult, null, "session/prompt", ""],
    [readConfigOptionsResult, {}, "session/set_config_option", "configOptions"],
    [write, true, "fs/write_text_file", ""],
    [readPermissionResult, {}, "session/request_permission", "outcome"],
    [readPermissionResult, { outcome: "selected" }, "session/request_permission", "outcome"],
    [
      readPermissionResult,
      { outcome: { outcome: "granted" } },
      "session/request_permission",
      "outcome.outcome",
    ],
    [
      readPermissionResult,
      { outcome: { outcome: "selected" } },
      "session/request_permission",
      "outcome.optionId",
    ],
    [readFileResult, { text: "x" }, "fs/read_text_file", "content"],
    [readCreateTerminalResult, {}, "terminal/create", "terminalId"],
    [readTerminalOutputResult, { truncated: false }, "terminal/output", "output"],
    [readTerminalOutputResult, { output: "" }, "terminal/output", "truncated"],
    [readExitResult, null, "terminal/wait_for_exit", ""],
    [readElicitationResult, { action: "maybe" }, "elicitation/create", "action"],
    [readElicitationResult, { action: "accept", content: [] }, "elicitation/create", "content"],
    [
      readElicitationResult,
      { action: "accept", content: { a: {} } },
      "elicitation/create",
      "content.a",
    ],
  ])("%o of %j", (read, result, method, path) => {
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

  test("the message reads well", () => {
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

describe("results that keep it", () => {
  test("initialize", () => {
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

  test("session setup, with null where the protocol's examples have it", () => {
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

  test("lists", () => {
    const sessions = [{ sessionId: "a", cwd: "/" }];
    expect(readListResult({ sessions, nextCursor: "n" })).toMatchObject({
      sessions,
      nextCursor: "n",
    });
    expect(readListResult({ sessions: [], nextCursor: null }).nextCursor).toBeUndefined();
  });

  test("prompt: unknown stop reasons are kept", () => {
    expect(readPromptResult({ stopReason: "end_turn" }).stopReason).toBe("end_turn");
    expect(readPromptResult({ stopReason: "bored" }).stopReason).toBe("bored");
  });

  test("the client's results", () => {
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
    const options = [{ id: "f", name: "F", type: "boolean", currentValue: true }];
    expect(readConfigOptionsResult({ configOptions: options }).configOptions).toEqual(options);
  });
});

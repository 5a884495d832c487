import { describe, expect, test } from "vitest";

import {
  readConfigOptionsResult,
  readEmptyResult,
  readInitializeResult,
  readListResult,
  readNewSessionResult,
  readPromptResult,
  readSetupResult,
} from "../../../../src/protocol/acp/index.ts";
import { expectViolation } from "./violation.ts";

const newSession = (result: unknown) => readNewSessionResult("session/new", result);
const load = (result: unknown) => readSetupResult("session/load", result);
const write = (result: unknown) => readEmptyResult("fs/write_text_file", result);

describe("an agent result that breaks the protocol", () => {
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
  ])("%o of %j throws an error that names the method and the field", (...example) => {
    expectViolation(...example);
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

import { describe, expect, test } from "vitest";
import {
  AGENT_METHODS,
  checkParams,
  CLIENT_METHODS,
  paramFaults,
  readPermissionOptions,
  canonicalNameValues,
  isAbsolutePath,
} from "../../../../src/protocol/acp/index.ts";
import { schemaParamFaults } from "../schema.ts";

const s = { sessionId: "s" };
const stdio = { name: "m", command: "/bin/m", args: ["-v"], env: [{ name: "K", value: "v" }] };
const http = { type: "http", name: "h", url: "https://x", headers: [] };
const option = { optionId: "a", name: "A", kind: "allow_once" };

const valid: [string, Record<string, unknown>][] = [
  ["initialize", { protocolVersion: 1 }],
  [
    "initialize",
    { protocolVersion: 1, clientCapabilities: {}, clientInfo: { name: "n", version: "1" } },
  ],
  ["authenticate", { methodId: "m" }],
  ["logout", {}],
  ["session/new", { cwd: "/w", mcpServers: [] }],
  ["session/new", { cwd: "C:\\w", mcpServers: [stdio, http], additionalDirectories: ["/a"] }],
  ["session/load", { ...s, cwd: "/w", mcpServers: [{ ...http, type: "sse" }] }],
  ["session/resume", { ...s, cwd: "/w" }],
  ["session/list", {}],
  ["session/list", { cwd: "/w", cursor: "c" }],
  ["session/delete", s],
  ["session/close", s],
  [
    "session/prompt",
    {
      ...s,
      prompt: [
        { type: "text", text: "" },
        { type: "image", data: "", mimeType: "image/png", uri: null },
        { type: "audio", data: "", mimeType: "audio/wav" },
        { type: "resource_link", uri: "file:///a", name: "a" },
        { type: "resource", resource: { uri: "file:///a", text: "" } },
        { type: "resource", resource: { uri: "file:///a", blob: "" } },
      ],
    },
  ],
  ["session/cancel", s],
  ["session/set_mode", { ...s, modeId: "m" }],
  ["session/set_config_option", { ...s, configId: "c", value: "v" }],
  ["session/set_config_option", { ...s, configId: "c", type: "boolean", value: true }],
  ["session/update", { ...s, update: { sessionUpdate: "plan", entries: [] } }],
  ["session/request_permission", { ...s, toolCall: { toolCallId: "t" }, options: [option] }],
  ["fs/read_text_file", { ...s, path: "/a" }],
  ["fs/read_text_file", { ...s, path: "/a", line: 1, limit: 10 }],
  ["fs/write_text_file", { ...s, path: "/a", content: "" }],
  ["terminal/create", { ...s, command: "ls" }],
  [
    "terminal/create",
    {
      ...s,
      command: "ls",
      args: ["-l"],
      env: [{ name: "K", value: "v" }],
      cwd: "/w",
      outputByteLimit: 9,
    },
  ],
  ["terminal/output", { ...s, terminalId: "t" }],
  ["terminal/wait_for_exit", { ...s, terminalId: "t" }],
  ["terminal/kill", { ...s, terminalId: "t" }],
  ["terminal/release", { ...s, terminalId: "t" }],
  ["elicitation/create", { ...s, mode: "form", message: "m", requestedSchema: { type: "object" } }],
  [
    "elicitation/create",
    { requestId: 1, mode: "url", message: "m", url: "https://x", elicitationId: "e" },
  ],
  ["elicitation/complete", { elicitationId: "e" }],
  ["$/cancel_request", { requestId: "r" }],
];

describe("valid params", () => {
  test.each(valid)("of %s have no faults: %j", (method, params) => {
    expect(schemaParamFaults(method, params), "the example itself").toEqual([]);
    expect(paramFaults(method, params)).toEqual([]);
    expect(paramFaults(method, { ...params, _meta: { x: 1 }, novel: true })).toEqual([]);
  });

  test("include an example for every method", () => {
    const names = new Set(valid.map(([method]) => method));
    for (const method of [...Object.values(AGENT_METHODS), ...Object.values(CLIENT_METHODS)]) {
      expect(names).toContain(method);
    }
  });
});

describe("faulty params", () => {
  // A field is required if the schema reports a fault without it.
  const required = valid.flatMap(([method, params]) =>
    Object.keys(params)
      .filter((key) => {
        const { [key]: _, ...rest } = params;
        return schemaParamFaults(method, rest).length > 0;
      })
      .map((key) => [method, key, params] as const),
  );

  test.each(required)("of %s without %s are reported", (method, key, params) => {
    const { [key]: _, ...rest } = params;
    expect(paramFaults(method, rest)).not.toEqual([]);
  });

  test.each(valid)("of %s with a wrong type in any field are reported: %j", (method, params) => {
    for (const key of Object.keys(params)) {
      for (const wrong of [false, [false], { no: 1 }, -1]) {
        const broken = { ...params, [key]: wrong };
        if (schemaParamFaults(method, broken).length === 0) continue;
        // Any object passes here: `toUpdate` reads it and keeps unknown fields.
        if (key === "update" && !Array.isArray(wrong) && typeof wrong === "object") continue;
        expect(paramFaults(method, broken), `${key}: ${JSON.stringify(wrong)}`).not.toEqual([]);
      }
    }
  });

  test("are reported completely, with their paths", () => {
    const faults = paramFaults("session/new", {
      cwd: "relative",
      additionalDirectories: ["/ok", 3],
      mcpServers: [
        { name: "a", command: "c", args: "x", env: { K: "v" } },
        { type: "http", name: 1, url: "u" },
        { type: "pigeon", serverId: "z" },
        7,
      ],
    });
    expect(faults.map((fault) => fault.path)).toEqual([
      "cwd",
      "additionalDirectories[1]",
      "mcpServers[0].args",
      "mcpServers[0].env",
      "mcpServers[1].name",
      "mcpServers[1].headers",
      "mcpServers[2].type",
      "mcpServers[3]",
    ]);
    expect(faults[0]?.message).toBe('must be an absolute path, but is the string "relative"');
    expect(faults[6]?.message).toContain('"http", "sse", "stdio"');
  });

  test.each<[string, unknown, string[]]>([
    ["initialize", undefined, ["protocolVersion"]],
    ["initialize", { protocolVersion: 70000 }, ["protocolVersion"]],
    [
      "session/prompt",
      { sessionId: "", prompt: [{ type: "video" }] },
      ["sessionId", "prompt[0].type"],
    ],
    ["session/prompt", { ...s, prompt: "hi" }, ["prompt"]],
    [
      "session/set_config_option",
      { ...s, configId: "c", type: "boolean", value: "true" },
      ["value"],
    ],
    ["session/set_config_option", { ...s, configId: "c", value: true }, ["value"]],
    ["session/set_config_option", null, ["sessionId", "configId", "value"]],
    ["session/set_config_option", 7, [""]],
    ["elicitation/create", { mode: "form", message: "m", requestedSchema: {} }, [""]],
    [
      "elicitation/create",
      { ...s, requestId: 1, mode: "form", message: "m", requestedSchema: {} },
      [""],
    ],
    ["elicitation/create", { ...s, mode: "hologram", message: "m" }, ["mode"]],
    ["fs/read_text_file", { ...s, path: "a.txt" }, ["path"]],
    ["fs/read_text_file", { ...s, path: "/a", line: 1.5 }, ["line"]],
    ["$/cancel_request", {}, ["requestId"]],
  ])("of %s are reported by path: %j", (method, params, paths) => {
    expect(paramFaults(method, params).map((fault) => fault.path)).toEqual(paths);
  });

  test("are reported up to a limit", () => {
    const prompt = Array.from({ length: 5000 }, () => 0);
    const faults = paramFaults("session/prompt", { ...s, prompt });
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toEqual({ path: "", message: "and 4900 more" });
  });
});

describe("lenient checks", () => {
  test("accept unknown words in closed lists, and null for an omitted field", () => {
    expect(
      paramFaults("session/request_permission", {
        ...s,
        toolCall: { toolCallId: "t", kind: "teleport", status: "paused", title: null },
        options: [{ ...option, kind: "allow_for_an_hour" }],
      }),
    ).toEqual([]);
    expect(paramFaults("terminal/create", { ...s, command: "c", args: null, env: null })).toEqual(
      [],
    );
  });

  test("accept anything for unknown methods", () => {
    expect(paramFaults("_vendor/method", 3)).toEqual([]);
    expect(paramFaults("constructor", 3)).toEqual([]);
  });

  test("return the params or their faults, and treat absent params as an empty object", () => {
    const params = { ...s, prompt: [{ type: "text", text: "hi" }] };
    const good = checkParams("session/prompt", params);
    expect(good.ok && good.params.prompt[0]?.type).toBe("text");
    const bad = checkParams("session/prompt", {});
    expect(!bad.ok && bad.faults.map((fault) => fault.path)).toEqual(["sessionId", "prompt"]);
    expect(checkParams("session/list", undefined).ok).toBe(true);
    expect(checkParams("logout", null).ok).toBe(true);
  });

  test("drop null fields, except a request id", () => {
    const folders = { ...s, cwd: "/w", mcpServers: null, additionalDirectories: null };
    expect(checkParams("session/resume", folders)).toEqual({
      ok: true,
      params: { ...s, cwd: "/w" },
    });
    const cancel = { requestId: null };
    expect(checkParams("$/cancel_request", cancel)).toEqual({ ok: true, params: cancel });
  });
});

test("an unknown kind of a permission option reads as unknown, never as a guess", () => {
  const options = [
    { optionId: "a", name: "A", kind: "allow_once" },
    { optionId: "b", name: "Allow everything", kind: "allow" },
  ];
  expect(readPermissionOptions(options)).toEqual([
    { optionId: "a", name: "A", kind: "allow_once", raw: options[0] },
    { optionId: "b", name: "Allow everything", kind: "unknown", raw: options[1] },
  ]);
});

test("canonicalNameValues converts a map and returns other values unchanged", () => {
  expect(canonicalNameValues({ A: "1" })).toEqual([{ name: "A", value: "1" }]);
  expect(canonicalNameValues({})).toEqual([]);
  expect(canonicalNameValues(undefined)).toBeUndefined();
});

test.each<[unknown, boolean]>([
  ["/", true],
  ["/a/b", true],
  ["C:\\a", true],
  ["c:/a", true],
  ["\\\\server\\share", true],
  ["", false],
  ["a", false],
  ["./a", false],
  ["~/a", false],
  ["C:a", false],
  ["/a\0b", false],
  ["file:///a", false],
  [undefined, false],
])("isAbsolutePath(%j) is %s", (path, expected) => {
  expect(isAbsolutePath(path)).toBe(expected);
});

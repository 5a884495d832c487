import { describe, expect, it } from "vitest";
import { parseArgv } from "../../src/adapter/argv.ts";
import { availableCommands, ownCommand } from "../../src/adapter/session/commands.ts";
import {
  configOptions,
  findModel,
  unmetSettings,
  optionChange,
} from "../../src/adapter/session/config.ts";
import { accessCheck, couldWork, report, versionCheck } from "../../src/adapter/doctor/doctor.ts";
import { modernised } from "../../src/adapter/legacy.ts";
import { toDroidServers } from "../../src/adapter/translate/mcp.ts";
import { modeChange, modeOf, modeState } from "../../src/adapter/session/modes.ts";
import { likelyFolder } from "../../src/adapter/serve.ts";
import { readSettings } from "../../src/droid/protocol/settings.ts";
import { readModel } from "../../src/droid/protocol/protocol.ts";
import { strictFaults } from "../support/schema.ts";

const models = [
  readModel({
    id: "big",
    displayName: "Big",
    supportedReasoningEfforts: ["low", "high"],
    deprecated: true,
  }),
  readModel({
    id: "custom:Mock-0",
    displayName: "Mock",
    supportedReasoningEfforts: ["none"],
    isCustom: true,
    noImageSupport: true,
  }),
];

function settings(raw: Record<string, unknown>) {
  return readSettings({ modelId: "big", reasoningEffort: "high", ...raw });
}

describe("modes", () => {
  it.each([
    [{ interactionMode: "spec", autonomyLevel: "high" }, "spec"],
    [{ interactionMode: "auto", autonomyLevel: "medium" }, "medium"],
    [{ interactionMode: "agi", autonomyLevel: "low" }, "low"],
    [{ autonomyMode: "auto-high" }, "high"],
    [{}, "off"],
  ])("of %j is %s", (raw, mode) => {
    expect(modeOf(settings(raw))).toBe(mode);
  });

  it("are those that the organisation allows, and the one in force", () => {
    const state = modeState(
      settings({ autonomyLevel: "high", availableAutonomyLevels: ["off", "low"] }),
    );
    expect(state.availableModes.map(({ id }) => id)).toEqual(["spec", "off", "low", "high"]);
    expect(strictFaults("SessionModeState", state)).toEqual([]);
  });

  it("are asked of Droid as autonomy and interaction", () => {
    expect(modeChange("spec")).toEqual({ interactionMode: "spec" });
    expect(modeChange("low")).toEqual({ interactionMode: "auto", autonomy: "low" });
  });
});

describe("config options", () => {
  it("are mode, model and effort, as the schema wants them", () => {
    const options = configOptions(settings({ autonomyLevel: "low" }), models);
    expect(options.map(({ id, currentValue }) => [id, currentValue])).toEqual([
      ["mode", "low"],
      ["model", "big"],
      ["reasoning_effort", "high"],
    ]);
    for (const option of options) expect(strictFaults("SessionConfigOption", option)).toEqual([]);
  });

  it("have the value in force among their values, whatever Droid lists", () => {
    const options = configOptions(
      settings({ modelId: "custom:mock-1", reasoningEffort: "odd" }),
      models,
    );
    for (const option of options) {
      const values =
        option.type === "select"
          ? option.options.map((one) => ("value" in one ? one.value : ""))
          : [];
      expect(values).toContain(option.currentValue);
    }
  });

  it("leave out what is not known", () => {
    expect(configOptions(readSettings({}), []).map(({ id }) => id)).toEqual(["mode"]);
  });

  it.each([
    ["mode", "spec", { interactionMode: "spec" }],
    ["mode", "bogus", undefined],
    ["model", "big", { model: "big" }],
    ["reasoning_effort", "low", { reasoningEffort: "low" }],
    ["model", true, undefined],
    ["nothing", "x", undefined],
  ] as const)("%s set to %s", (id, value, change) => {
    expect(optionChange(id, value)).toEqual(change);
  });

  it("find a model by any of its names", () => {
    expect(findModel("big", models)?.id).toBe("big");
    expect(findModel("custom:mock-1", models)?.id).toBe("custom:Mock-0");
    expect(findModel("other", models)).toBeUndefined();
    expect(findModel(undefined, models)).toBeUndefined();
  });

  it("ask only for what is not in force", () => {
    const wishes = {
      model: "big",
      reasoningEffort: "low",
      autonomy: "off",
      interactionMode: "auto",
    } as const;
    const actual = settings({ autonomyLevel: "off", interactionMode: "auto" });
    expect(unmetSettings(wishes, actual)).toEqual({ reasoningEffort: "low" });
    expect(unmetSettings({}, actual)).toEqual({});
  });
});

describe("commands", () => {
  const skill = { location: undefined, filePath: undefined, enabled: true, userInvocable: true };
  it("are ours, Droid's and the skills that can be called, each name once", () => {
    const commands = availableCommands(
      [
        {
          name: "hello",
          description: "says hello\nmore",
          argumentHint: "<name>",
          isExecutable: false,
        },
        {
          name: "compact",
          description: "not this one",
          argumentHint: undefined,
          isExecutable: false,
        },
        { name: "", description: undefined, argumentHint: undefined, isExecutable: false },
      ],
      [
        { name: "pdf", description: undefined, ...skill },
        { name: "hello", description: "hidden", ...skill },
        { name: "off", description: "x", ...skill, enabled: false },
        { name: "inner", description: "x", ...skill, userInvocable: false },
      ],
      true,
    );
    const names = commands.map(({ name }) => name);
    expect(names).toEqual(["compact", "context", "mcp-login", "hello", "pdf"]);
    expect(availableCommands([], [], false)).toHaveLength(2);
    expect(commands[3]).toEqual({
      name: "hello",
      description: "says hello …",
      input: { hint: "<name>" },
    });
    for (const command of commands) expect(strictFaults("AvailableCommand", command)).toEqual([]);
  });

  it.each([
    ["/context", { name: "context" }],
    [" /compact ", { name: "compact", instructions: undefined }],
    ["/compact keep\nthis", { name: "compact", instructions: "keep\nthis" }],
    ["/mcp-login gh", { name: "mcp-login", server: "gh" }],
    ["/mcp-login", { name: "mcp-login", server: "" }],
    ["/compacted", undefined],
    ["please /compact", undefined],
    ["/hello", undefined],
  ])("%j", (text, command) => {
    expect(ownCommand(text)).toEqual(command);
  });
});

describe("MCP servers", () => {
  it("keep their variables and headers", () => {
    expect(
      toDroidServers([
        { name: "a", command: "/c", args: ["x"], env: [{ name: "K", value: "v" }] },
        { type: "http", name: "b", url: "http://h", headers: [{ name: "H", value: "v" }] },
        { type: "sse", name: "c", url: "http://s", headers: [] },
      ]),
    ).toEqual([
      { name: "a", command: "/c", args: ["x"], env: { K: "v" } },
      { type: "http", name: "b", url: "http://h", headers: { H: "v" } },
      { type: "sse", name: "c", url: "http://s", headers: {} },
    ]);
  });
});

describe("the old way to choose a model", () => {
  it("becomes the new one, and nothing else changes", () => {
    const old = {
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_model",
      params: { sessionId: "s", modelId: "m" },
    };
    expect(JSON.parse(modernised(JSON.stringify(old)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      method: "session/set_config_option",
      params: { sessionId: "s", configId: "model", value: "m" },
    });
    for (const line of [
      "no json session/set_model",
      '{"method":"x","params":"session/set_model"}',
      "{}",
    ])
      expect(modernised(line)).toBe(line);
  });
});

describe("the command line", () => {
  const nothing = {
    action: "serve",
    executable: undefined,
    model: undefined,
    mode: undefined,
    idleMinutes: undefined,
    logFile: undefined,
    json: false,
  };
  it.each([
    [[], nothing],
    [["--doctor", "--model", "m"], { ...nothing, action: "doctor", model: "m" }],
    [["--doctor", "--json"], { ...nothing, action: "doctor", json: true }],
    [["--login"], { ...nothing, action: "login" }],
    [["--help", "--doctor"], { ...nothing, action: "help" }],
    [["--version"], { ...nothing, action: "version" }],
    [
      ["--droid", "/d", "--mode", "spec", "--idle-minutes", "0.5", "--log", "f"],
      { ...nothing, executable: "/d", mode: "spec", idleMinutes: 0.5, logFile: "f" },
    ],
  ])("%j", (argv, expected) => {
    expect(parseArgv(argv)).toEqual({ ok: true, arguments: expected });
  });
  it.each([
    [["--mode", "bogus"]],
    [["--idle-minutes", "x"]],
    [["--idle-minutes", "-1"]],
    [["--what"]],
    [["stray"]],
  ])("refuses %j", (argv) => {
    expect(parseArgv(argv).ok).toBe(false);
  });
  it("guesses a project's folder only where there may be one", () => {
    expect(likelyFolder("/home/u/project", "/home/u")).toBe("/home/u/project");
    expect(likelyFolder("/home/u", "/home/u")).toBeUndefined();
    expect(likelyFolder("/", "/home/u")).toBeUndefined();
  });
});

describe("the doctor", () => {
  it.each([
    ["0.225.2", "ok"],
    ["0.200.0", "ok"],
    ["9.0.0", "warning"],
    ["0.50.0", "warning"],
    [undefined, "warning"],
  ] as const)("finds version %s %s", (version, result) => {
    expect(versionCheck(version).result).toBe(result);
  });
  it.each([
    ["custom:Mock-0", false, undefined, "ok"],
    ["big", true, undefined, "ok"],
    ["big", false, undefined, "failed"],
    ["big", true, "other", "failed"],
  ] as const)("finds model %s with login %s, asked for %s, %s", (model, login, asked, result) => {
    expect(accessCheck({ model }, models, login, asked).result).toBe(result);
  });
  it("says what to do", () => {
    const failed = accessCheck({ model: "big" }, [], false, undefined);
    expect(report([failed])).toMatch(/FAIL {2}access[^]*customModels[^]*could not work yet/);
    expect(couldWork([failed])).toBe(false);
    expect(couldWork([{ name: "x", result: "warning", message: "" }])).toBe(true);
  });
});

import { isPlanPriority, isPlanStatus } from "../../acp/index.ts";
import { isJsonObject, type JsonObject, objectsField, stringField } from "../../../base/index.ts";

/*
 * Config options, modes, slash commands and MCP servers. v2 has no modes: a mode is a config option of
 * the category `mode`.
 */

/** The config option that stands for the modes of a v1 agent. */
export const MODE_OPTION_ID = "mode";

/** The v1 form of v2 config options. Pure. */
export function optionsToV1(options: unknown): readonly JsonObject[] {
  return onlyObjects(options).map((option) => {
    const { configId, ...rest } = option;
    return { ...rest, id: configId, ...groups(option, "groupId", "group") };
  });
}

/** The v2 form of v1 config options. A select without values, which v2 does not have, is left out. Pure. */
export function optionsToV2(options: unknown): readonly JsonObject[] {
  const usable = onlyObjects(options).filter(
    (option) => !Array.isArray(option["options"]) || option["options"].length > 0,
  );
  return usable.map((option) => {
    const { id, ...rest } = option;
    return { ...rest, configId: id, ...groups(option, "group", "groupId") };
  });
}

/** The option of v1 config options that selects the mode; undefined if there is none. Pure. */
export function modeOptionOf(options: readonly JsonObject[]): JsonObject | undefined {
  return options.find(({ category, type }) => category === "mode" && type === "select");
}

/** The modes that a v1 config option stands for. Pure. */
export function modesOf(option: JsonObject): JsonObject {
  const values = objectsField(option, "options");
  const flat = values.flatMap((value) =>
    Array.isArray(value["options"]) ? objectsField(value, "options") : [value],
  );
  const availableModes = flat.map(({ value, name, description }) => ({
    id: value,
    name,
    ...(typeof description === "string" ? { description } : {}),
  }));
  return { currentModeId: option["currentValue"], availableModes };
}

/** The v1 config option that stands for the modes of a v1 agent. Pure. */
export function modeOption(modes: JsonObject): JsonObject {
  return {
    id: MODE_OPTION_ID,
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: modes["currentModeId"],
    options: objectsField(modes, "availableModes").map(({ id, name, description }) => ({
      value: id,
      name,
      ...(typeof description === "string" ? { description } : {}),
    })),
  };
}

/** The v1 form of v2 slash commands. A command of an unknown type becomes a plain one. Pure. */
export function commandsToV1(commands: unknown): readonly JsonObject[] {
  return onlyObjects(commands).map((command) => {
    const { type: _, input, ...rest } = command;
    if (!isJsonObject(input)) return rest;
    const { type: __, ...plain } = input;
    return { ...rest, input: plain };
  });
}

/** The v2 form of v1 slash commands. Pure. */
export function commandsToV2(commands: unknown): readonly JsonObject[] {
  return onlyObjects(commands).map((command) => {
    const { input } = command;
    return {
      ...command,
      type: "command",
      ...(isJsonObject(input) ? { input: { ...input, type: "text" } } : {}),
    };
  });
}

/**
 * The v1 form of the entries of v2 plans. Cancelled ones are left out; an unknown priority becomes
 * `medium` and an unknown status `pending`. Entries that are the same in v1 stay the same object. Pure.
 */
export function planEntriesToV1(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries
    .filter(({ status }) => status !== "cancelled")
    .map((entry) =>
      isPlanPriority(entry["priority"]) && isPlanStatus(entry["status"])
        ? entry
        : {
            ...entry,
            priority: isPlanPriority(entry["priority"]) ? entry["priority"] : "medium",
            status: isPlanStatus(entry["status"]) ? entry["status"] : "pending",
          },
    );
}

/** The v1 form of v2 MCP servers: without the type of a stdio server, with all lists. Pure. */
export function mcpServersToV1(servers: unknown): readonly JsonObject[] {
  return onlyObjects(servers).map((server) => {
    const { type, ...rest } = server;
    if (type === "stdio") return { args: [], env: [], ...rest };
    if (type === "http") return { headers: [], ...server };
    return server;
  });
}

/** The v2 form of v1 MCP servers. Pure. */
export function mcpServersToV2(servers: unknown): readonly JsonObject[] {
  return onlyObjects(servers).map((server) =>
    stringField(server, "type") === undefined ? { ...server, type: "stdio" } : server,
  );
}

/** The objects in a list; none if the value is no list. */
export function onlyObjects(value: unknown): readonly JsonObject[] {
  return objectsField({ value }, "value");
}

function groups(option: JsonObject, from: string, to: string): JsonObject {
  const { options } = option;
  if (!Array.isArray(options)) return {};
  return {
    options: options.map((item: unknown) => {
      if (!isJsonObject(item) || item[from] === undefined) return item;
      const { [from]: id, ...rest } = item;
      return { ...rest, [to]: id };
    }),
  };
}

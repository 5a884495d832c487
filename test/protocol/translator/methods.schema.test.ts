// The schema of the draft, compared with the one that this layer was written for.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { V2_SCHEMA_VERSION } from "../../../src/protocol/translator/index.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";

const require = createRequire(import.meta.url);

function json(file: string): JsonObject {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (!isJsonObject(value)) throw new Error(`${file} is not an object`);
  return value;
}

/** One line for each definition, field, required field, method and known value of a schema. */
function summary(schema: JsonObject): readonly string[] {
  const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
  const lines = Object.entries(definitions).flatMap(([name, definition]) => [
    name,
    ...(isJsonObject(definition) ? facts(name, definition) : []),
  ]);
  return [...new Set(lines)].toSorted();
}

function facts(name: string, part: JsonObject): readonly string[] {
  const { properties, required, items } = part;
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  return [
    ...(typeof part["x-method"] === "string" ? [`${name} is for ${part["x-method"]}`] : []),
    ...fields.flatMap(([field, value]) => [
      `${name}.${field}`,
      ...(isJsonObject(value) ? facts(`${name}.${field}`, value) : []),
    ]),
    ...(Array.isArray(required) ? required.map((field) => `${name}.${field} is required`) : []),
    ...(part["const"] === undefined ? [] : [`${name} may be ${JSON.stringify(part["const"])}`]),
    ...(Array.isArray(part["enum"])
      ? part["enum"].map((value) => `${name} may be ${JSON.stringify(value)}`)
      : []),
    ...(typeof part["$ref"] === "string" ? [`${name} is a ${part["$ref"].split("/").at(-1)}`] : []),
    ...(part["type"] === undefined ? [] : [`${name} is of type ${JSON.stringify(part["type"])}`]),
    ...(isJsonObject(items) ? facts(`${name}[]`, items) : []),
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => {
      const list = part[key];
      if (!Array.isArray(list)) return [];
      return list.flatMap((one) => (isJsonObject(one) ? facts(name, one) : []));
    }),
  ];
}

describe("the schema of v2", () => {
  it("is the one of the SDK that V2_SCHEMA_VERSION names", () => {
    const { version } = json(
      require
        .resolve("@agentclientprotocol/sdk/schema/v2/schema.json")
        .replace(/schema\/v2\/schema\.json$/, "package.json"),
    );
    expect(V2_SCHEMA_VERSION).toBe(version);
  });

  // To accept a new schema: read the differences, change src/protocol/translator, and run this file with
  // DRAGOMAN_RECORD_SCHEMA=1.
  it.each(["schema", "schema.unstable"])("has not changed: %s", (name) => {
    const file = require.resolve(`@agentclientprotocol/sdk/schema/v2/${name}.json`);
    const recorded = new URL(`schema/${name}.txt`, import.meta.url);
    const now = summary(json(file));
    if (process.env["DRAGOMAN_RECORD_SCHEMA"] === "1") {
      writeFileSync(recorded, `${now.join("\n")}\n`);
    }
    const before = readFileSync(recorded, "utf8").trimEnd().split("\n");
    const differences = [
      ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
      ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ];
    expect(differences, differences.join("\n")).toEqual([]);
  });
});

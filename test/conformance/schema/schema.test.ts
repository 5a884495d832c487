import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { methodsOf } from "../../../src/conformance/schema/methods.ts";
import { type SchemaName, validatorOf } from "../../../src/conformance/schema/schema.ts";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";
import { strictFaults, type SchemaVersion } from "../../support/schema.ts";

const root = new URL("../../../", import.meta.url);
const folder = new URL("test/transcripts/agents/", root);

/** Our names of the schemas, and those of the validator that is made of the official files. */
const SCHEMAS: readonly (readonly [SchemaName, SchemaVersion])[] = [
  ["v1", "stable"],
  ["v1 unstable", "unstable"],
  ["v2", "v2"],
  ["v2 unstable", "v2 unstable"],
];

/** Values of definitions, from recorded connections with six agents. */
function recorded(): readonly (readonly [string, unknown])[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => valuesIn(readFileSync(new URL(name, folder), "utf8")));
}

function valuesIn(text: string): readonly (readonly [string, unknown])[] {
  const asked = new Map<string, string>();
  const found: (readonly [string, unknown])[] = [];
  for (const line of text.split("\n").filter(Boolean)) {
    const entry: unknown = JSON.parse(line);
    if (!isJsonObject(entry) || !isJsonObject(entry["msg"])) continue;
    const { id, method, params, result } = entry["msg"];
    const key = `${String(entry["dir"])} ${JSON.stringify(id)}`;
    const other = `${entry["dir"] === "c2a" ? "a2c" : "c2a"} ${JSON.stringify(id)}`;
    if (typeof method === "string") {
      if (id !== undefined) asked.set(key, method);
      const definition = methodsOf(1).get(method)?.params;
      if (definition !== undefined) found.push([definition, params]);
    } else if (result !== undefined) {
      const definition = methodsOf(1).get(asked.get(other) ?? "")?.result;
      if (definition !== undefined) found.push([definition, result]);
    }
  }
  return found;
}

describe("the validator", () => {
  const values = recorded();

  it.each(SCHEMAS)("agrees with the official %s schema about recorded frames", (ours, official) => {
    const validator = validatorOf(ours);
    const known = values.filter(([definition]) => validator.has(definition));
    expect(known.length).toBeGreaterThan(100);
    for (const [definition, value] of known) {
      const isValid = strictFaults(definition, value, official).length === 0;
      expect([definition, value, validator.faults(definition, value).length === 0]).toEqual([
        definition,
        value,
        isValid,
      ]);
    }
  });

  it.each(SCHEMAS)("agrees with the official %s schema about changed frames", (ours, official) => {
    const validator = validatorOf(ours);
    const known = values.filter(([definition]) => validator.has(definition));
    const changes = fc.tuple(fc.constantFrom(...known), fc.nat(), fc.nat(5));
    fc.assert(
      fc.property(changes, ([[definition, value], place, kind]) => {
        const changed = changedValue(value, place, kind);
        const isValid = strictFaults(definition, changed, official).length === 0;
        expect(validator.faults(definition, changed).length === 0).toBe(isValid);
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  it("names the field that the schema does not declare", () => {
    expect(validatorOf("v1").faults("NewSessionResponse", { sessionId: "s", models: {} })).toEqual([
      { kind: "undeclared", path: "/models", message: "is not declared by the schema" },
    ]);
  });

  it("declares the fields of a value that lacks others", () => {
    const update = {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "x" }],
    };
    const faults = validatorOf("v1").faults("SessionNotification", { sessionId: "s", update });
    expect(faults.map(({ kind, message }) => [kind, message])).toEqual([
      ["invalid", "must have description"],
    ]);
  });

  it("names the field of the form that was meant", () => {
    const update = { sessionUpdate: "tool_call", toolCallId: "t", title: 7 };
    const faults = validatorOf("v1").faults("SessionNotification", { sessionId: "s", update });
    expect(faults).toEqual([
      { kind: "invalid", path: "/update/title", message: "expected string, received number" },
    ]);
  });
});

/** Replaces, removes or adds one field, somewhere in the value. */
function changedValue(value: unknown, place: number, kind: number): unknown {
  const copy: unknown = structuredClone(value);
  const objects = objectsIn(copy);
  const target = objects[place % Math.max(1, objects.length)];
  if (!target) return copy;
  const keys = Object.keys(target);
  const key = keys[place % Math.max(1, keys.length)] ?? "added";
  const replacements = [null, 7, "text", {}, []];
  if (kind === 5) Reflect.deleteProperty(target, key);
  else if (place % 3 === 0) Reflect.set(target, "undeclared", replacements[kind]);
  else Reflect.set(target, key, replacements[kind]);
  return copy;
}

function objectsIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (!isJsonObject(value)) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

it("uses tables of the schema that is installed", () => {
  const script = fileURLToPath(new URL("scripts/conformance-schema.mjs", root));
  expect(() =>
    execFileSync(process.execPath, [script, "--check"], { stdio: "pipe" }),
  ).not.toThrow();
});

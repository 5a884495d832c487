import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaFaults } from "../../../src/protocol/schema/faults.ts";
import type { JsonObject } from "../../../src/base/index.ts";

describe("the faults of a value", () => {
  it.each<[string, object, unknown, string[]]>([
    ["a valid value", { type: "string" }, "x", []],
    ["a wrong type", { type: "string" }, 1, ["expected string, received number"]],
    ["one of two types", { type: ["string", "null"] }, null, []],
    ["a fraction", { type: "integer" }, 1.5, ["expected integer, received number"]],
    ["null", { type: "object" }, null, ["expected object, received null"]],
    ["a list", { type: "object" }, [], ["expected object, received array"]],
    ["an unknown choice", { enum: ["a", "b"] }, "c", ['expected one of "a", "b"']],
    ["an unknown constant", { const: { a: 1 } }, { a: 2 }, ['expected {"a":1}']],
    ["a missing field", { required: ["a"] }, {}, ["a: is required"]],
    [
      "a field inside a list",
      { properties: { a: { items: { properties: { b: { type: "number" } } } } } },
      { a: [{ b: 1 }, { b: "1" }] },
      ["a.1.b: expected number, received string"],
    ],
    ["an extra field", { additionalProperties: false }, { a: 1 }, ["a: is not allowed"]],
    [
      "extra fields of a type",
      { additionalProperties: { type: "string" } },
      { a: 1 },
      ["a: expected string, received number"],
    ],
    ["a small number", { minimum: 2 }, 1, ["must be at least 2"]],
    ["a large number", { maximum: 2 }, 3, ["must be at most 2"]],
    ["a number on the limit", { exclusiveMinimum: 2 }, 2, ["must be greater than 2"]],
    ["a number on the upper limit", { exclusiveMaximum: 2 }, 2, ["must be less than 2"]],
    ["not a multiple", { multipleOf: 2 }, 3, ["must be a multiple of 2"]],
    ["a short text", { minLength: 2 }, "😀", ["must have at least 2 characters"]],
    ["a long text", { maxLength: 1 }, "ab", ["must have at most 1 characters"]],
    ["another pattern", { pattern: "^a" }, "b", ["must match the pattern ^a"]],
    ["a pattern of another language", { pattern: "(?P<a>" }, "b", []],
    ["a short list", { minItems: 1 }, [], ["must have at least 1 items"]],
    ["a long list", { maxItems: 1 }, [1, 2], ["must have at most 1 items"]],
    [
      "a tuple",
      { prefixItems: [{ type: "string" }], items: { type: "number" } },
      [1, "a"],
      ["0: expected string, received number", "1: expected number, received string"],
    ],
    [
      "none of several forms",
      { anyOf: [{ type: "string" }, { type: "number" }] },
      true,
      ["matches none of the allowed forms"],
    ],
    [
      "two of several forms",
      { oneOf: [{ type: "string" }, { minLength: 1 }] },
      "a",
      ["must match exactly one of the allowed forms"],
    ],
    [
      "one of all forms",
      { allOf: [{ type: "string" }, { type: "number" }] },
      "a",
      ["expected number, received string"],
    ],
    [
      "a reference",
      { $defs: { "a/b": { type: "string" } }, properties: { a: { $ref: "#/$defs/a~1b" } } },
      { a: 1 },
      ["a: expected string, received number"],
    ],
    ["a reference to nothing", { $ref: "#/$defs/gone" }, 1, []],
    ["a keyword that is not known", { format: "email" }, "x", []],
  ])("are listed for %s", (_name, schema, value, faults) => {
    expect(schemaFaults({ ...schema }, value)).toEqual(faults);
  });

  it("are at most ten", () => {
    const schema = { items: { type: "string" } };
    expect(
      schemaFaults(
        schema,
        Array.from({ length: 50 }, () => 1),
      ),
    ).toHaveLength(10);
  });

  it("end for a schema that contains itself", () => {
    expect(schemaFaults({ $ref: "#" }, 1)).toEqual([]);
    const tree = { type: "object", properties: { next: { $ref: "#" } } };
    expect(schemaFaults(tree, { next: { next: { next: 1 } } })).toEqual([
      "next.next.next: expected object, received number",
    ]);
  });

  it("exist exactly if Ajv finds some", () => {
    const ajv = new Ajv2020({ strict: false });
    const accepts = (given: JsonObject, tried: unknown): boolean => {
      try {
        return ajv.validate(given, tried);
      } catch {
        // Ajv 8 calls a property of the value that is named valueOf or toString.
        return false;
      }
    };
    const leaf = fc.oneof(
      fc
        .constantFrom("string", "number", "integer", "boolean", "null", "object", "array")
        .map((type) => ({ type })),
      fc.record({ minimum: fc.integer({ min: -3, max: 3 }) }),
      fc.record({ maxLength: fc.nat(3) }),
      fc.record({
        enum: fc.uniqueArray(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }),
      }),
    );
    const schema = fc.oneof(
      leaf,
      fc.record({ items: leaf }),
      fc.record({ anyOf: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(leaf, { minLength: 1, maxLength: 3 }) }),
      fc.record({
        properties: fc.dictionary(fc.constantFrom("a", "b"), leaf),
        required: fc.uniqueArray(fc.constantFrom("a", "b")),
        additionalProperties: fc.boolean(),
      }),
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 1 }), {
        // Answers are parsed JSON, whose objects have a prototype. Ajv tells both kinds apart.
        noNullPrototype: true,
      }),
    );
    fc.assert(
      fc.property(schema, value, (given, tried) => {
        expect(schemaFaults({ ...given }, tried).length === 0).toBe(accepts(given, tried));
      }),
    );
  });
});

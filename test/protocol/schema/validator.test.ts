import { expect, it } from "vitest";
import { SchemaError } from "../../../src/protocol/schema/index.ts";
import { compileSchema } from "../../../src/protocol/schema/validator.ts";
import { TimeLimitError } from "../../../src/base/index.ts";

const schema = {
  type: "object",
  properties: {
    items: { type: "array", items: { type: "object", properties: { price: { type: "number" } } } },
    kind: { enum: ["a", "b"] },
  },
  required: ["kind"],
  additionalProperties: false,
};

it("lists every fault with its place", async () => {
  const validate = await compileSchema(schema);
  expect(validate({ kind: "a", items: [{ price: 1 }] })).toEqual([]);
  expect(validate({ items: [{ price: "x" }], extra: 1, kind: "c" })).toEqual([
    "must NOT have additional properties: extra",
    "items.0.price: must be number",
    "kind: must be equal to one of the allowed values: a, b",
  ]);
  expect(validate(undefined)).toEqual(["must be object"]);
});

it("names at most twenty faults", async () => {
  const validate = await compileSchema({ type: "array", items: { type: "number" } });
  expect(validate(Array.from({ length: 50 }, String))).toHaveLength(20);
});

it.each([
  ["draft 07", "http://json-schema.org/draft-07/schema#", { items: [{ type: "string" }] }],
  [
    "draft 2020-12",
    "https://json-schema.org/draft/2020-12/schema",
    { prefixItems: [{ type: "string" }] },
  ],
])("knows tuples of %s", async (_, $schema, tuple) => {
  const validate = await compileSchema({ $schema, type: "array", ...tuple });
  expect(validate(["a"])).toEqual([]);
  expect(validate([1])).toEqual(["0: must be string"]);
});

it("refuses a value with a property that Ajv mistakes for a method", async () => {
  const validate = await compileSchema({ enum: [{}] });
  expect(validate({ valueOf: "" })).toEqual([
    expect.stringContaining("cannot be compared with the schema"),
  ]);
});

it("ignores unknown keywords and formats", async () => {
  const validate = await compileSchema({ type: "string", format: "email", "x-order": 1 });
  expect(validate("not an address")).toEqual([]);
});

it.each([
  ["is not valid", { type: "strange" }],
  ["refers to something outside", { $ref: "https://example.invalid/schema" }],
])("rejects a schema that %s", async (_, broken) => {
  await expect(compileSchema(broken)).rejects.toThrow(SchemaError);
});

/** A part that refers to the next one twice, so that a check looks at the last one 2^40 times. */
function doubling(): Readonly<Record<string, object>> {
  const parts = Array.from({ length: 40 }, (_, at) => {
    const next = { $ref: `#/$defs/${at + 1}` };
    return [String(at), { allOf: [next, next] }] as const;
  });
  return Object.fromEntries([...parts, ["40", { type: "string" }]]);
}

it.each([
  ["a pattern that runs forever", { pattern: "^(a+)+$" }, `${"a".repeat(60)}!`],
  [
    "the name of a property",
    { patternProperties: { "^(a+)+$": {} } },
    { [`${"a".repeat(60)}!`]: 1 },
  ],
  ["references that double", { $ref: "#/$defs/0", $defs: doubling() }, 1],
  [
    "items that must differ",
    { uniqueItems: true },
    Array.from({ length: 60_000 }, (_, a) => ({ a })),
  ],
])("stops checking %s", async (_, schema, value) => {
  const validate = await compileSchema(schema);
  expect(() => validate(value)).toThrow(TimeLimitError);
});

it("checks other values after one that took too long", async () => {
  const validate = await compileSchema({ pattern: "^(a+)+$" });
  expect(() => validate(`${"a".repeat(60)}!`)).toThrow(TimeLimitError);
  expect(validate("aaa")).toEqual([]);
  expect(validate("b")).toEqual(['must match pattern "^(a+)+$"']);
});

it("stops compiling a schema that is too large", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 200_000 }, (_, at) => [`p${at}`, { type: "string", minLength: at }]),
  );
  await expect(compileSchema({ properties })).rejects.toThrow(/compiling it took longer than/);
});

it.each([
  ["a schema", { $ref: "#" }, 1],
  ["a value", { items: { $ref: "#" } }, JSON.parse("[".repeat(50_000) + "]".repeat(50_000))],
])("survives %s without an end", async (_, schema, value) => {
  const validate = await compileSchema(schema);
  expect(validate(value)).toEqual([expect.stringContaining("cannot be compared with the schema")]);
});

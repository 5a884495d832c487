import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contentFaults,
  elicitationSchemaFaults,
} from "../../../../src/client/gate/providers/elicitation-service.ts";
import { seed, times } from "../../../support/soak.ts";

const NAME = { properties: { name: { type: "string" } }, required: ["name"] };

describe("the check of an answer", () => {
  const isValid = (schema: object, value: unknown): boolean =>
    contentFaults({ properties: { f: schema } }, { f: value }).length === 0;

  it.each<[object, unknown, boolean]>([
    [{ type: "string" }, "x", true],
    [{ type: "string" }, 1, false],
    [{ type: "string" }, null, false],
    [{ type: "string", minLength: 2 }, "🦊", false],
    [{ type: "string", maxLength: 1 }, "🦊", true],
    [{ type: "string", maxLength: 1 }, "ab", false],
    [{ type: "string", minLength: null, pattern: null, format: null }, "", true],
    [{ type: "string", pattern: "^a+$" }, "aaa", true],
    [{ type: "string", pattern: "^a+$" }, "ab", false],
    [{ type: "string", format: "email" }, "a.b@example.org", true],
    [{ type: "string", format: "email" }, "a@b@c", false],
    [{ type: "string", format: "email" }, "a b@c.d", false],
    [{ type: "string", format: "uri" }, "https://example.org/x", true],
    [{ type: "string", format: "uri" }, "example.org", false],
    [{ type: "string", format: "date" }, "2024-02-29", true],
    [{ type: "string", format: "date" }, "2023-02-29", false],
    [{ type: "string", format: "date" }, "29.2.2024", false],
    [{ type: "string", format: "date-time" }, "2024-02-29T10:00:00Z", true],
    [{ type: "string", format: "date-time" }, "2024-02-29T10:00:00.5+02:00", true],
    [{ type: "string", format: "date-time" }, "2024-02-30T10:00:00Z", false],
    [{ type: "string", format: "date-time" }, "2024-02-29 10:00", false],
    [{ type: "string", format: "of the future" }, "x", true],
    [{ type: "string", enum: ["a", "b"] }, "b", true],
    [{ type: "string", enum: ["a", "b"] }, "c", false],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a", true],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "A", false],
    [{ type: "number", minimum: 1, maximum: 2 }, 1.5, true],
    [{ type: "number", minimum: 1 }, 0.5, false],
    [{ type: "number", maximum: 2 }, 2.5, false],
    [{ type: "number" }, Number.NaN, false],
    [{ type: "number" }, "1", false],
    [{ type: "integer" }, 3, true],
    [{ type: "integer" }, 3.5, false],
    [{ type: "integer", minimum: 4 }, 3, false],
    [{ type: "boolean" }, false, true],
    [{ type: "boolean" }, "false", false],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["a", "b"], true],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["c"], false],
    [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, ["a", "a"], false],
    [{ type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }, ["a"], true],
    [{ type: "array", minItems: 1, items: { type: "string", enum: ["a"] } }, [], false],
    [
      { type: "array", maxItems: 1, items: { type: "string", enum: ["a", "b"] } },
      ["a", "b"],
      false,
    ],
    [{ type: "array", items: { type: "_custom" } }, ["a"], false],
    [{ type: "array" }, "a", false],
    [{ type: "object", properties: {} }, {}, false],
    [{ type: "_custom" }, "x", false],
  ])("for the field %j finds %j valid: %s", (schema, value, valid) => {
    expect(isValid(schema, value)).toBe(valid);
  });

  it("requires the required fields and allows no unknown ones", () => {
    expect(contentFaults(NAME, { name: "x" })).toEqual([]);
    expect(contentFaults(NAME, {}).map(({ path }) => path)).toEqual(["name"]);
    expect(contentFaults(NAME, { name: "x", more: 1 }).map(({ path }) => path)).toEqual(["more"]);
    const inherited = contentFaults({ required: ["toString"], properties: {} }, {});
    expect(inherited).toHaveLength(1);
    expect(contentFaults(NAME, [])).toHaveLength(1);
  });

  it("gives up on a regular expression that would run forever", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const start = Date.now();
    expect(isValid(schema, `${"a".repeat(40)}!`)).toBe(false);
    expect(Date.now() - start).toBeLessThan(5_000);
  });
});

describe("the check of a schema", () => {
  it.each<[object]>([
    [{ type: "array" }],
    [{ properties: [] }],
    [{ properties: { a: "string" } }],
    [{ properties: { a: {} } }],
    [{ properties: { a: { type: "string", pattern: "(" } } }],
    [{ properties: { a: { type: "string", pattern: "a".repeat(2000) } } }],
    [{ required: "a" }],
    [{ required: ["a"] }],
    [{ required: ["a"], properties: { a: { type: "_custom" } } }],
    [{ properties: Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i, {}])) }],
  ])("finds faults in a schema that cannot be answered: %j", (schema) => {
    expect(elicitationSchemaFaults({ ...schema })).not.toEqual([]);
  });

  it("never throws for any schema and any answer", () => {
    const json = fc.jsonValue();
    const schema = fc.record(
      {
        type: fc.oneof(fc.constant("object"), json),
        properties: fc.oneof(
          json,
          fc.dictionary(
            fc.string(),
            fc.record(
              {
                type: fc.constantFrom("string", "number", "integer", "boolean", "array", "x"),
                minLength: json,
                enum: json,
                oneOf: json,
                items: json,
                pattern: json,
                format: json,
              },
              { requiredKeys: ["type"] },
            ),
          ),
        ),
        required: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(schema, json, (one, content) => {
        elicitationSchemaFaults(one);
        contentFaults(one, content);
      }),
      { seed, numRuns: times(300, 10_000) },
    );
  });
});

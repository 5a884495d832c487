import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contentFaults, schemaFaults } from "../../src/client/gate/providers/elicitation-schema.ts";
import type {
  ElicitationProvider,
  ElicitationReply,
  FormElicitation,
  UrlElicitation,
} from "../../src/client/gate/providers/elicitation.ts";
import { seed, times } from "../support/soak.ts";
import { harness } from "./gate-harness.ts";

const METHOD = "elicitation/create";
const form = (requestedSchema: object) => ({ mode: "form", message: "Who?", requestedSchema });
const link = (url: string, elicitationId = "e1") => ({
  mode: "url",
  message: "Go",
  url,
  elicitationId,
});
const NAME = { properties: { name: { type: "string" } }, required: ["name"] };

describe("what a form asks of an answer", () => {
  const field = (schema: object, value: unknown): boolean =>
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
  ])("%j, answered with %j: %s", (schema, value, fits) => {
    expect(field(schema, value)).toBe(fits);
  });

  it("wants what is required and nothing that is not asked for", () => {
    expect(contentFaults(NAME, { name: "x" })).toEqual([]);
    expect(contentFaults(NAME, {}).map(({ path }) => path)).toEqual(["name"]);
    expect(contentFaults(NAME, { name: "x", more: 1 }).map(({ path }) => path)).toEqual(["more"]);
    const inherited = contentFaults({ required: ["toString"], properties: {} }, {});
    expect(inherited).toHaveLength(1);
    expect(contentFaults(NAME, [])).toHaveLength(1);
  });

  it("gives up on an expression that would run for ever", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const start = Date.now();
    expect(field(schema, `${"a".repeat(40)}!`)).toBe(false);
    expect(Date.now() - start).toBeLessThan(5_000);
  });

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
  ])("is not asked by a schema that cannot be met: %j", (schema) => {
    expect(schemaFaults({ ...schema })).not.toEqual([]);
  });

  it("never throws, whatever the schema and the answer", () => {
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
        schemaFaults(one);
        contentFaults(one, content);
      }),
      { seed, numRuns: times(300, 10_000) },
    );
  });
});

/** A provider that answers every form and address alike, and remembers them. */
function provider(reply: ElicitationReply | Promise<ElicitationReply>) {
  const forms: FormElicitation[] = [];
  const urls: UrlElicitation[] = [];
  const done: string[] = [];
  const made: ElicitationProvider = {
    form(request) {
      forms.push(request);
      return reply;
    },
    url(request) {
      urls.push(request);
      return reply;
    },
    completed(id) {
      done.push(id);
    },
  };
  return { made, forms, urls, done };
}

describe("elicitation", () => {
  it("is neither advertised nor answered without a provider", async () => {
    await using h = harness();
    expect(h.gate.capabilities).not.toHaveProperty("elicitation");
    expect((await h.refused(METHOD, form(NAME))).code).toBe(-32601);
  });

  it("advertises the modes a provider has, and answers others with -32602", async () => {
    await using h = harness({ elicitation: { form: () => ({ action: "decline" }) } });
    expect(h.gate.capabilities.elicitation).toEqual({ form: {} });
    expect((await h.refused(METHOD, link("https://example.org"))).code).toBe(-32602);
    await using u = harness({ elicitation: { url: () => ({ action: "decline" }) } });
    expect(u.gate.capabilities.elicitation).toEqual({ url: {} });
    expect((await u.refused(METHOD, form(NAME))).code).toBe(-32602);
    const custom = { mode: "_voice", message: "?" };
    expect((await u.refused(METHOD, custom)).code).toBe(-32602);
  });

  it("can be switched off although there is a provider", async () => {
    const { made } = provider({ action: "decline" });
    await using h = harness({ elicitation: made, capabilities: { elicitation: { url: null } } });
    expect(h.gate.capabilities.elicitation).toEqual({ form: {} });
    expect((await h.refused(METHOD, link("https://example.org"))).code).toBe(-32602);
  });

  it("hands a form to the provider, with a check, and its answer back", async () => {
    const { made, forms } = provider({ action: "accept", content: { name: "Ada" } });
    await using h = harness({ elicitation: made });
    expect(await h.ask(METHOD, { ...form(NAME), toolCallId: "t1" })).toEqual({
      action: "accept",
      content: { name: "Ada" },
    });
    expect(forms[0]).toMatchObject({
      message: "Who?",
      schema: NAME,
      sessionId: "s1",
      toolCallId: "t1",
    });
    expect(forms[0]?.check({ name: 1 })).toHaveLength(1);
    expect(h.session.questions).toBe(1);
  });

  it.each<[string, ElicitationReply]>([
    ["declined", { action: "decline" }],
    ["cancelled", { action: "cancel" }],
  ])("passes on that it was %s", async (_what, reply) => {
    await using h = harness({ elicitation: provider(reply).made });
    expect(await h.ask(METHOD, form(NAME))).toEqual(reply);
  });

  it("does not pass on an answer that does not fit the form", async () => {
    await using h = harness({ elicitation: provider({ action: "accept", content: {} }).made });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
    expect(h.logs.some(({ level }) => level === "error")).toBe(true);
  });

  it("is cancelled by a provider that throws", async () => {
    const broken: ElicitationProvider = { form: () => Promise.reject(new Error("no")) };
    await using h = harness({ elicitation: broken });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
  });

  it("is cancelled at once with the turn, also when the provider never answers", async () => {
    await using h = harness({ elicitation: provider(new Promise(() => {})).made });
    const asked = h.ask(METHOD, form(NAME));
    while (h.session.open < 1) await new Promise(setImmediate);
    h.session.cancel();
    expect(await asked).toEqual({ action: "cancel" });
    expect(await h.ask(METHOD, form(NAME))).toEqual({ action: "cancel" });
  });

  it("refuses a form that cannot be filled in, with its faults", async () => {
    await using h = harness({ elicitation: provider({ action: "decline" }).made });
    const error = await h.refused(METHOD, form({ required: ["ghost"] }));
    expect(error).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "requestedSchema.required" }] },
    });
  });

  it("belongs to a session or to a request, and to one of them only", async () => {
    const { made, forms } = provider({ action: "decline" });
    await using h = harness({ elicitation: made });
    const outside = { sessionId: undefined, requestId: 7, ...form(NAME) };
    expect(await h.ask(METHOD, outside)).toEqual({ action: "decline" });
    expect(forms[0]).toMatchObject({ sessionId: undefined, requestId: 7 });
    expect((await h.refused(METHOD, { requestId: 7, ...form(NAME) })).code).toBe(-32602);
    expect((await h.refused(METHOD, { ...form(NAME), sessionId: "other" })).code).toBe(-32002);
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "not an address", ""])(
    "does not show the address %j",
    async (url) => {
      const { made, urls } = provider({ action: "accept" });
      await using h = harness({ elicitation: made });
      expect((await h.refused(METHOD, link(url))).code).toBe(-32602);
      expect(urls).toEqual([]);
    },
  );

  it("tells of a completed address once, and ignores ids it does not know", async () => {
    const { made, urls, done } = provider({ action: "accept" });
    await using h = harness({ elicitation: made });
    expect(await h.ask(METHOD, link("https://example.org/x"))).toEqual({ action: "accept" });
    expect(urls[0]?.url.host).toBe("example.org");
    const complete = (elicitationId: unknown) =>
      h.gate.notification("elicitation/complete", { elicitationId });
    expect([complete("ghost"), complete("e1"), complete("e1"), complete(5)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(done).toEqual(["e1"]);
  });

  it("forgets an address that was declined", async () => {
    const { made, done } = provider({ action: "decline" });
    await using h = harness({ elicitation: made });
    await h.ask(METHOD, link("https://example.org/x"));
    h.gate.notification("elicitation/complete", { elicitationId: "e1" });
    expect(done).toEqual([]);
  });
});

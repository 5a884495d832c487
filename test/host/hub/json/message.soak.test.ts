// Whatever line arrives, the hub reads the same message in it as JSON.parse, or refuses it.
import fc from "fast-check";
import { expect, it } from "vitest";
import { readRelayedMessage } from "../../../../src/host/hub/json/relayed-message.ts";
import { classifyMessage } from "../../../../src/transport/rpc/index.ts";
import { asObject, isJsonObject } from "../../../../src/base/index.ts";
import { seed, times } from "../../../support/soak.ts";
import { spliceText } from "../../../../src/host/hub/json/json-text.ts";

const TEXT =
  '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"hi"}}}}';

const gap = fc.constantFrom("", "", "", "", " ", "\t", "\r", "\u00a0");
/** A key in one of the spellings that some parser may take for it. */
const spelled = (name: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    `"${name}"`,
    `"${name}"`,
    `"${name}"`,
    `"${name.toUpperCase()}"`,
    `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
    `"${name.replace("s", "\u017f")}"`,
  );
const key = fc
  .constantFrom("id", "method", "params", "result", "error", "jsonrpc", "sessionId", "update")
  .chain(spelled);
const string = fc.oneof(
  fc.constantFrom('"s"', '"2.0"', '"session/update"', '"fs/write_text_file"', '"terminal/create"'),
  fc.constantFrom('"\\u0073"', '"\\ud800"', '"\\x"', '"\u0000"', '"\\"id\\":1"', '"}{"', '"'),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const scalar = fc.oneof(
  string,
  fc.constantFrom("null", "true", "7", "-0", "1.0", "1e3", "01", "NaN", "12345678901234567890"),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc
      .array(fc.tuple(key, gap, tie("value")), { maxLength: 5 })
      .map((fields) => `{${fields.map(([name, space, of]) => `${name}:${space}${of}`).join(",")}}`),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  ),
}));
const built = fc
  .tuple(fc.array(fc.tuple(key, gap, value), { maxLength: 7 }), gap)
  .map(
    ([fields, space]) =>
      `{${space}${fields.map(([name, between, of]) => `${name}${between}:${of}`).join(",")}}`,
  );
/** The line that is not parsed, with something changed at any place. */
const changed = fc
  .tuple(
    fc.nat({ max: TEXT.length }),
    fc.nat({ max: 6 }),
    fc.oneof(
      fc.constant(""),
      value,
      fc.tuple(key, value).map(([name, of]) => `,${name}:${of}`),
    ),
  )
  .map(([at, cut, inserted]) => TEXT.slice(0, at) + inserted + TEXT.slice(at + cut));
const line = fc.oneof(built, changed, fc.string());

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

it("reads every line as JSON.parse does, before and after it is passed on, or refuses it", () => {
  let read = 0;
  const property = fc.property(line, (text) => {
    const message = readRelayedMessage(text);
    if (message.kind === "invalid" || message.line !== text) return;
    read++;
    const frame = asObject(parsed(text));
    const expected = classifyMessage(frame);
    const kind =
      expected.kind === "result" || expected.kind === "error" ? "response" : expected.kind;
    expect(message.kind).toBe(kind);
    if ("method" in message) {
      const { params } = frame;
      const { sessionId } = asObject(params);
      expect(message.method).toBe(frame["method"]);
      expect(message.sessionId).toBe(typeof sessionId === "string" ? sessionId : undefined);
      if (message.params) expect(message.params).toEqual(isJsonObject(params) ? params : {});
      else expect(params).toMatchObject({ update: { content: { type: "text" } } });
    }
    if ("id" in message && message.id) {
      expect(parsed(text.slice(message.id.start, message.id.end))).toEqual(frame["id"]);
      const forwarded = spliceText(text, message.id, "4711");
      expect(parsed(forwarded)).toEqual({ ...frame, id: 4711 });
    } else expect(frame["id"]).toBeUndefined();
  });
  fc.assert(property, { seed, numRuns: times(5000, 100_000) });
  expect(read).toBeGreaterThan(times(50, 1000));
});

it("passes on no line in which a parser that takes the first of two keys reads another message", () => {
  const property = fc.property(line, (text) => {
    const message = readRelayedMessage(text);
    if (message.kind === "invalid" || message.line !== text) return;
    expect(withoutRepeatedKeys(text)).toBe(true);
  });
  fc.assert(property, { seed, numRuns: times(5000, 100_000) });
});

/** Whether no object of a JSON text has two equal keys. */
function withoutRepeatedKeys(text: string): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  const open: Set<string>[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (tokens[at + 1] === ":") {
      const name = String(JSON.parse(token));
      if (open.at(-1)?.has(name)) return false;
      open.at(-1)?.add(name);
    }
  }
  return true;
}

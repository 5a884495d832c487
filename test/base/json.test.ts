import { describe, expect, it } from "vitest";
import { decodeLine, isJsonObject, MAX_FRAME_DEPTH, parseJsonObject } from "../../src/base/json.ts";

const frame = { jsonrpc: "2.0", id: 1, result: {} };
const text = JSON.stringify(frame);

describe("decoding a line", () => {
  it.each([
    { what: "an object is a frame", line: text, is: { kind: "frame", frame, skipped: "" } },
    {
      what: "an object without jsonrpc is also a frame",
      line: '{"a":1}',
      is: { kind: "frame", frame: { a: 1 }, skipped: "" },
    },
    {
      what: "whitespace around a frame is ignored",
      line: `  ${text}\t`,
      is: { kind: "frame", frame, skipped: "" },
    },
    { what: "an array is a batch", line: `[${text}]`, is: { kind: "batch", frames: [frame] } },
    { what: "an empty array is a batch", line: "[]", is: { kind: "batch", frames: [] } },
    { what: "text is noise", line: "Loading...", is: { kind: "noise", isJson: false } },
    { what: "a number is noise", line: "42", is: { kind: "noise", isJson: true } },
    { what: "null is noise", line: "null", is: { kind: "noise", isJson: true } },
    { what: "a string is noise", line: '"hi"', is: { kind: "noise", isJson: true } },
    {
      what: "a truncated frame is noise",
      line: text.slice(0, -1),
      is: { kind: "noise", isJson: false },
    },
    {
      what: "a frame after other text is recovered",
      line: `Loading... ${text}`,
      is: { kind: "frame", frame, skipped: "Loading... " },
    },
    {
      what: "a frame after a JSON log entry is recovered",
      line: `{"level":"info"} ${text}`,
      is: { kind: "frame", frame, skipped: '{"level":"info"} ' },
    },
    {
      what: "a frame after a truncated frame is recovered",
      line: `${text.slice(0, 20)}${text}`,
      is: { kind: "frame", frame, skipped: text.slice(0, 20) },
    },
    {
      what: "a frame after a byte order mark is recovered",
      line: `\ufeff${text}`,
      is: { kind: "frame", frame, skipped: "\ufeff" },
    },
    {
      what: "a frame after terminal escape codes is recovered",
      line: `\u001b[2K\u001b[1G${text}`,
      is: { kind: "frame", frame, skipped: "\u001b[2K\u001b[1G" },
    },
    {
      what: "an object after other text is noise without jsonrpc",
      line: 'config: {"a":1}',
      is: { kind: "noise", isJson: false },
    },
    {
      what: "a frame quoted in text is noise",
      line: `the frame "${text.replaceAll('"', '\\"')}" was sent`,
      is: { kind: "noise", isJson: false },
    },
  ])("$what", ({ line, is }) => {
    expect(decodeLine(line)).toEqual(is);
  });

  it("tries only a few positions when it looks for a frame after other text", () => {
    const hopeless = '{"'.repeat(200_000);
    expect(decodeLine(hopeless + text)).toEqual({ kind: "noise", isJson: false });
  });

  const nested = (levels: number): string =>
    `{"id":7,"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

  it.each([
    { what: "at the limit is a frame", line: nested(MAX_FRAME_DEPTH), kind: "frame" },
    { what: "above the limit is noise", line: nested(MAX_FRAME_DEPTH + 1), kind: "noise" },
    { what: "far above the limit is noise", line: nested(200_000), kind: "noise" },
  ])("an object $what, and both ways to decode agree", ({ line, kind }) => {
    const decoded = decodeLine(line);
    expect(decoded.kind).toBe(kind);
    expect(parseJsonObject(line) === undefined).toBe(kind === "noise");
    if (decoded.kind === "noise") expect(decoded.tooDeep).toMatchObject({ id: 7 });
  });

  it("finds a deep frame after other text, and counts the depth of any mix of brackets", () => {
    const mixed = `${'{"jsonrpc":"2.0","a":[1,'.repeat(300)}2${"]}".repeat(300)}`;
    expect(decodeLine(`progress ${mixed}`)).toMatchObject({ tooDeep: { jsonrpc: "2.0" } });
  });

  it("counts neither brackets in strings nor values next to each other", () => {
    const value = { text: '[{"\\'.repeat(1_000_000), wide: Array.from({ length: 2000 }, () => []) };
    expect(decodeLine(JSON.stringify(value))).toMatchObject({ kind: "frame" });
  });

  it("survives any depth of a batch and of text that is not JSON", () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(decodeLine(deep)).toEqual({ kind: "noise", isJson: true, tooDeep: {} });
    expect(decodeLine(`${'{"a":'.repeat(200_000)}1`).kind).toBe("noise");
  });

  it.each([
    ["opens levels only", "[".repeat(48 * 1024 * 1024)],
    [
      "hides its levels from a reader that starts at the beginning",
      `" {"a":${"[".repeat(2 ** 25)}`,
    ],
  ])("does not spend gigabytes on a long line that %s", (_, line) => {
    const before = process.resourceUsage().maxRSS;
    expect(parseJsonObject(line)).toBeUndefined();
    expect(decodeLine(line)).toEqual({ kind: "noise", isJson: false, tooDeep: {} });
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(300_000);
  });

  it("treats __proto__ as an ordinary key", () => {
    const decoded = decodeLine('{"__proto__":{"polluted":true}}');
    expect(decoded.kind === "frame" && Object.hasOwn(decoded.frame, "__proto__")).toBe(true);
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

it.each([
  [{}, true],
  [[], false],
  [null, false],
  ["", false],
  [undefined, false],
])("isJsonObject(%j) is %j", (value, is) => {
  expect(isJsonObject(value)).toBe(is);
});

// The attack itself: a token in a frame, in a log line or in a recording.
import { describe, expect, it } from "vitest";
import { recorder } from "../../../src/transport/wire/recording/recorder.ts";
import { redactLine, redactText } from "../../../src/base/redact/redact.ts";
import { TEXTS, TOKENS } from "./tokens.ts";

/** Some shapes are hidden up to a character that a token may end with. */
const endOf = (token: string): string => token.slice(-12);

describe("a token that has no telling name", () => {
  it.each(TOKENS)("is hidden in a line, a text and a recording: %s", (token) => {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      params: { update: { text: `use ${token} now` } },
    });
    expect(redactLine(line)).not.toContain(endOf(JSON.stringify(token).slice(1, -1)));
    expect(redactText(`the agent printed ${token}`)).not.toContain(endOf(token));
    let recorded = "";
    recorder((text) => (recorded += text))({ at: 0, direction: "in", line });
    expect(recorded).toContain("now");
    expect(recorded).not.toContain(endOf(token));
  });

  it.each(TEXTS)("is hidden in a text: %j", (text, hidden) => {
    const line = (of: string): string => JSON.stringify({ jsonrpc: "2.0", of });
    expect(redactLine(line(text))).toBe(line(hidden));
  });
});

describe("a known secret", () => {
  it.each([
    ["with slashes", "ab/cd+ef/gh=="],
    ["with quotes", `pass"word'12`],
    ["with backslashes", String.raw`pass\word\\12`],
    ["in several lines", "first line\nsecond line"],
  ])("%s is hidden in a recording, however its JSON is escaped", (_, secret) => {
    let recorded = "";
    const tap = recorder((text) => (recorded += text), { secrets: [secret] });
    const inner = JSON.stringify({ note: `got ${secret}` });
    for (const line of [inner, JSON.stringify({ inner }), `noise ${inner}`])
      tap({ at: 0, direction: "in", line });
    const lines = recorded.trimEnd().split("\n").slice(1);
    expect(lines).toHaveLength(3);
    let escaped = secret;
    for (let level = 0; level < 4; level++) {
      expect(recorded).not.toContain(escaped);
      escaped = JSON.stringify(escaped).slice(1, -1);
    }
  });
});

import { expect, it } from "vitest";
import { extractJson } from "../../../src/protocol/schema/answer.ts";

it.each([
  ["a whole answer", ' {"n": 1} ', { n: 1 }],
  ["a value that is not an object", "3", 3],
  ["a fenced block", 'Here it is:\n```json\n{"n": 1}\n```\nDone.', { n: 1 }],
  ["the last of several fenced blocks", '```\n{"n": 1}\n```\n```json\n{"n": 2}\n```', { n: 2 }],
  ["an object in prose", 'The answer is {"n": {"m": 2}}, as you asked.', { n: { m: 2 } }],
  ["a list in prose", "These: [1, 2]. Done.", [1, 2]],
])("finds %s", (_, text, value) => {
  expect(extractJson(text)).toEqual({ ok: true, value });
});

it.each([
  ["an empty answer", " \n", "empty"],
  ["prose", "It is one.", "not valid JSON"],
  ["a cut object", '{"n": 1', "not valid JSON"],
  ["a value that is nested too deeply", `${"[".repeat(300)}${"]".repeat(300)}`, "too deeply"],
])("says why there is no JSON in %s", (_, text, fault) => {
  expect(extractJson(text)).toMatchObject({ ok: false, fault: expect.stringContaining(fault) });
});

it.each([
  ["fences that do not end", "```\n".repeat(100_000)],
  ["empty lines after a fence", `\`\`\`${"\n".repeat(200_000)}`],
  ["spaces after a fence", `\`\`\`${" ".repeat(200_000)}x`],
])("takes one pass over %s", (_, text) => {
  const startedAt = performance.now();
  expect(extractJson(`${text}!`).ok).toBe(false);
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

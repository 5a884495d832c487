import { expect, it } from "vitest";
import { fillPrompt, parsePrompts } from "../../../../../src/conformance/check/agent/stage/act.ts";

it("reads the prompts of a file", () => {
  const prompts = { write: "/edit {file} {text}", slow: "/slow" };
  expect(parsePrompts(prompts)).toEqual(prompts);
});

it.each([
  [[], "the prompts are not a JSON object"],
  [{ wait: "x" }, 'unknown prompt "wait"; known are write, read, run, ask, slow'],
  [{ slow: "" }, 'the prompt "slow" must be a text'],
  [{ read: "/read" }, 'the prompt "read" must contain {file}'],
  [{ write: "/write {file}" }, 'the prompt "write" must contain {text}'],
  [{ run: "/run" }, 'the prompt "run" must contain {command}'],
])("rejects %j", (value, message) => {
  expect(() => parsePrompts(value)).toThrow(message);
});

it("fills the places of a prompt", () => {
  expect(fillPrompt("write {text} to {file}, {other}", { file: "/a", text: "{file}" })).toBe(
    "write {file} to /a, {other}",
  );
});

import { describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../../src/apps/cli/agents/catalogue.ts";

describe("the catalogue", () => {
  it("has unique names, each with a title and a way to install it", () => {
    const names = CATALOGUE.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(CATALOGUE.every(({ title, install }) => title !== "" && install !== "")).toBe(true);
  });
  it("includes the agents that people know", () => {
    const known = "droid demo gemini claude codex opencode qwen copilot kimi cline pi goose";
    const names = CATALOGUE.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(known.split(" ")));
  });
});

import { describe, expect, it } from "vitest";
import { UnsupportedByDroidError } from "../../../src/droid/errors.ts";
import { systemPromptParams, tagParams, toolParams } from "../../../src/droid/protocol/session.ts";
import { readSettings } from "../../../src/droid/protocol/settings.ts";
import { capabilitiesOf } from "../../../src/droid/protocol/versions.ts";
import { assertApplied } from "../../../src/droid/session/open.ts";

function droid(cli: string, protocol?: string) {
  const version = { cli, protocol };
  return { version, capabilities: capabilitiesOf(version) };
}

const oldest = droid("0.99.0", "1.15.0");
const old = droid("0.117.0", "1.32.0");
const recent = droid("0.215.0", "1.206.0");
const between = droid("0.150.0", "1.100.0");

describe("a system prompt", () => {
  it.each([
    ["replaces", "be short", "be short"],
    ["is appended", { append: "x" }, { type: "preset", preset: "droid", append: "x" }],
  ])("%s in recent versions only", (_, prompt, systemPrompt) => {
    for (const one of [recent, between])
      expect(systemPromptParams(prompt, one)).toEqual({ systemPrompt });
    for (const one of [oldest, old])
      expect(() => systemPromptParams(prompt, one)).toThrow(UnsupportedByDroidError);
    expect(systemPromptParams(undefined, oldest)).toEqual({});
  });
});

describe("a selection of tools", () => {
  it("is sent in the words of each version", () => {
    const switches = { additionalTools: ["Edit"], disabledTools: ["Execute"] };
    expect(toolParams(switches, old)).toEqual({
      enabledToolIds: ["Edit"],
      disabledToolIds: ["Execute"],
    });
    expect(toolParams({ ...switches, restrictTools: ["Read"] }, recent)).toEqual({
      additionalToolIds: ["Edit"],
      disabledToolIds: ["Execute"],
      restrictToolIds: ["Read"],
    });
    expect(toolParams({}, oldest)).toEqual({});
  });
  it.each([
    [oldest, { additionalTools: [] }],
    [oldest, { disabledTools: ["Execute"] }],
    [oldest, { restrictTools: ["Read"] }],
    [old, { restrictTools: ["Read"] }],
    [droid("0.57.14"), { disabledTools: ["Execute"] }],
  ])("is refused where a version would ignore it", (one, selection) => {
    expect(() => toolParams(selection, one)).toThrow(UnsupportedByDroidError);
  });
});

describe("an untested version", () => {
  it("must confirm the system prompt and the tools", () => {
    const requested = { systemPrompt: "x", restrictTools: ["Read"] };
    const confirmed = readSettings({ systemPrompt: "x", restrictToolIds: ["Read"] });
    expect(() => assertApplied(requested, confirmed, between.version)).not.toThrow();
    for (const raw of [{ systemPrompt: "x" }, { restrictToolIds: ["Read"] }, {}])
      expect(() => assertApplied(requested, readSettings(raw), between.version)).toThrow(
        UnsupportedByDroidError,
      );
    expect(() => assertApplied({}, readSettings({}), between.version)).not.toThrow();
  });
});

it("tags may be texts or have metadata", () => {
  const review = { name: "review", metadata: { pr: "7" } };
  expect(tagParams(["nightly", review])).toEqual({ tags: [{ name: "nightly" }, review] });
  expect(tagParams(undefined)).toEqual({});
});

/**
 * The rules of the public ACP registry (github.com/agentclientprotocol/registry): its `agent.schema.json`,
 * and the checks that its build adds. `test/real/droid-acp/registry.test.ts` tests its handshake.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isJsonObject, isStringList } from "../../../src/base/index.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

type Rule = (value: unknown) => boolean;

const text: Rule = (value) => typeof value === "string" && value !== "";
const matches =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === "string" && pattern.test(value);
const uri: Rule = (value) => typeof value === "string" && URL.canParse(value);
const texts: Rule = isStringList;
const textMap: Rule = (value) =>
  isJsonObject(value) && Object.values(value).every((one) => typeof one === "string");

/** Checks each member of an object, and that it has the required ones and no others. */
const members =
  (rules: Readonly<Record<string, Rule>>, required: readonly string[]): Rule =>
  (value) =>
    isJsonObject(value) &&
    required.every((key) => key in value) &&
    Object.entries(value).every(([key, member]) => rules[key]?.(member) === true);

const PACKAGE_RULES = { package: text, cmd: text, args: texts, env: textMap };

/** `binary` is left out: this package has none. The build itself sets `icon`. */
const isEntry = members(
  {
    id: matches(/^[a-z][a-z0-9-]*$/),
    name: text,
    version: matches(/^\d+\.\d+\.\d+$/),
    description: text,
    repository: uri,
    website: uri,
    authors: texts,
    license: text,
    license_url: uri,
    distribution: members({ npx: members(PACKAGE_RULES, ["package"]) }, ["npx"]),
  },
  ["id", "name", "version", "description", "distribution"],
);

/** The faults of an icon. Colors must come from the theme. */
function iconFaults(svg: string): readonly string[] {
  const faults: string[] = [];
  const [root = ""] = /^<svg\b[^>]*>/.exec(svg) ?? [];
  if (root === "") faults.push("the root is not svg");
  if (svg.includes("<!--")) faults.push("has a comment");
  if (!/\bwidth="16"/.test(root) || !/\bheight="16"/.test(root)) faults.push("is not 16 by 16");
  const colors = [...svg.matchAll(/\b(?:fill|stroke)\s*(?:=\s*"|:\s*)([^";}\s]*)/g)];
  const values = colors.map(([, value = ""]) => value.toLowerCase());
  if (!values.includes("currentcolor")) faults.push("does not use currentColor");
  const others = values.filter((value) => !["currentcolor", "none", "inherit"].includes(value));
  return [...faults, ...others.map((value) => `has the color ${value}`)];
}

interface Entry {
  readonly id: string;
  readonly version: string;
  readonly license: string;
  readonly distribution: { readonly npx: { readonly package: string; readonly cmd: string } };
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly bin: Readonly<Record<string, string>>;
}

describe("the entry for the ACP registry", () => {
  const entry = JSON.parse(read("registry/droid-acp/agent.json")) as Entry;
  const pkg = JSON.parse(read("package.json")) as Package;

  it("meets the schema of the registry", () => {
    expect(isEntry(entry)).toBe(true);
    for (const wrong of [
      { ...entry, id: "Droid" },
      { ...entry, version: "1" },
      { ...entry, unknown: true },
      { ...entry, distribution: {} },
      { ...entry, distribution: { npx: { cmd: "droid-acp" } } },
      { ...entry, distribution: { npx: { package: "p", args: [1] } } },
    ])
      expect(isEntry(wrong)).toBe(false);
  });

  it("is in a folder with its id, and names this package with its exact version", () => {
    expect(entry.id).toBe("droid-acp");
    expect(entry.version).toBe(pkg.version);
    expect(entry.license).toBe(pkg.license);
    expect(entry.distribution.npx.package).toBe(`${pkg.name}@${pkg.version}`);
  });

  it("names the command to start: without it, npx starts the one with the name of the package", () => {
    expect(entry.distribution.npx.cmd).toBe("droid-acp");
    expect(Object.keys(pkg.bin)).toContain(entry.distribution.npx.cmd);
  });

  it("has an icon of 16 by 16 in the color of the theme", () => {
    expect(iconFaults(read("registry/droid-acp/icon.svg"))).toEqual([]);
    expect(iconFaults('<svg width="16" height="16"><path fill="#f00"/></svg>')).toEqual([
      "does not use currentColor",
      "has the color #f00",
    ]);
    expect(iconFaults('<svg viewBox="0 0 9 9"><!-- x --><g style="fill: red"/></svg>')).toEqual([
      "has a comment",
      "is not 16 by 16",
      "does not use currentColor",
      "has the color red",
    ]);
  });
});

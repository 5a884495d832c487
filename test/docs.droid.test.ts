// The tables of docs/droid.md, compared with the types.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type ts from "@typescript/typescript6";
import { expect, it } from "vitest";
import { readEntries } from "./support/declarations.ts";

const page = await readFile(new URL("../docs/droid.md", import.meta.url), "utf8");
const entry = fileURLToPath(new URL("../src/entries/droid.ts", import.meta.url));
const { checker, entries } = readEntries([entry]);

/** The rows of a table, by the title of its first column. Each cell is the list of its code words. */
function table(title: string): string[][][] {
  const lines = page.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${title} `));
  expect(first, `the table ${title}`).toBeGreaterThan(0);
  const end = lines.findIndex((line, index) => index > first && line === "");
  return lines.slice(first + 2, end).map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word)),
  );
}

function membersOf(name: string): readonly ts.Type[] {
  const symbol = entries[0]?.exports.get(name);
  const type = symbol && checker.getDeclaredTypeOfSymbol(symbol);
  expect(type?.isUnion(), name).toBe(true);
  return type?.isUnion() ? type.types : [];
}

function literal(type: ts.Type, field: string): string | undefined {
  const symbol = type.getProperty(field);
  const value = symbol && checker.getTypeOfSymbol(symbol);
  return value?.isStringLiteral() ? value.value : undefined;
}

it("the event table has every event with all of its fields", () => {
  const types = membersOf("DroidEvent").map((event) => ({
    type: literal(event, "type"),
    kind: literal(event, "kind"),
    fields: event
      .getProperties()
      .map(({ name }) => name)
      .filter((name) => name !== "type" && name !== "kind")
      .toSorted(),
  }));
  const rows = table("`type`").map(([type, kind, fields]) => ({
    type: type?.[0],
    kind: kind?.[0],
    fields: fields?.toSorted(),
  }));
  const byName = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  expect(rows.toSorted(byName)).toEqual(types.toSorted(byName));
});

it.each([
  ["Stop reason", "DroidStopReason"],
  ["Method in this library", "MethodName"],
])("the table %s has every value of %s", (title, name) => {
  const values = membersOf(name).map((type) => (type.isStringLiteral() ? type.value : ""));
  expect(new Set(table(title).map(([value]) => value?.[0]))).toEqual(new Set(values));
});

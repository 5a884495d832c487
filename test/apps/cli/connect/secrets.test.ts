import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { secretHider } from "../../../../src/apps/cli/connect/secrets.ts";
import { events, run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();

/** Runs the scripted agent with these variables from a settings file. */
async function runWith(env: Readonly<Record<string, string>>, ...argv: string[]) {
  const args = withAgent()[1]?.split(" ").slice(1);
  const settings = { agent_servers: { own: { command: "node", args, env } } };
  await writeFile(join(folders.cwd, "secret.json"), JSON.stringify(settings));
  return run(["--settings", "secret.json", ...argv], folders);
}

it("secrets from the settings are hidden in stderr and failures", async () => {
  const { err, last } = await runWith({ X: "the database is gone" }, "-v", "crash");
  expect(err).not.toContain("database");
  expect(last).toContain("stderr ends with: first words | [redacted]");
});

describe("a secret from the settings", () => {
  const SECRETS = [
    ["with slashes", "ab/cd+ef/gh=="],
    ["that looks like a path", "/nowhere/ab/cd"],
    ["with quotes", `pass"word'12`],
    ["with backslashes", String.raw`pass\word\\12`],
    ["with both", String.raw`p\"a\\"ss\'w0rd`],
    ["with a space at its end", "p4ss phrase "],
    ["outside ASCII", "pässwörd-😀-1"],
    ["with markup", "<pass>&word"],
    ["in several lines", "first line of a key\nsecond line of a key\n"],
    ["in an address", "postgres://user:sesame-12@db.example/x"],
    ["in the query of an address", "https://h.example/mcp?key=sesame-12"],
  ] as const;

  it.each(SECRETS)(
    "%s is not in the output of -v, in errors and in recordings",
    async (_, secret) => {
      const file = join(folders.cwd, "wire.jsonl");
      const { code, out, err, last } = await runWith(
        { LEAK: secret },
        "-v",
        "-o",
        "events",
        "--record",
        file,
        "leak",
      );
      expect(code).toBe(8);
      expect(err).toContain("[noise] noise ");
      const { error } = events(out).at(-1) as { error: object };
      const recorded = (await readFile(file, "utf8")).trimEnd().split("\n");
      const lines = recorded.map((line) =>
        plainly(String((JSON.parse(line) as { line?: string }).line)),
      );
      for (const shown of [err, JSON.stringify(error), ...lines]) {
        for (const spelling of spellings(secret)) expect(shown).not.toContain(spelling);
      }
      expect(recorded.length).toBeGreaterThan(8);
      expect(err).toContain("[stderr] [redacted]");
      expect(last).toContain("[redacted]");
    },
  );

  it("is not in an error that the agent answers", async () => {
    const { last } = await runWith({ LEAK: 'a/b"c\\d-12' }, "refuse");
    expect(last).toContain("Internal error: no [redacted]");
  });
});

/** A message without needless escapes. Other lines stay as they are. */
function plainly(line: string): string {
  try {
    return JSON.stringify(JSON.parse(line));
  } catch {
    return line;
  }
}

/** A text as it is, in JSON, and in JSON inside JSON; the last lines of it too. */
function spellings(text: string): readonly string[] {
  const escaped = (from: string): string => JSON.stringify(from).slice(1, -1);
  const parts = [text, ...text.split("\n").filter((line) => line.length > 8)];
  return parts
    .flatMap((part) => [part, escaped(part), escaped(escaped(part))])
    .map((part) => part.trim());
}

describe("the values that count as secrets", () => {
  const valuesOf = (env: Readonly<Record<string, string>>) =>
    secretHider({ env, from: "settings" }, []).values;

  it.each([
    ["short", []],
    ["eight-ch", ["eight-ch"]],
    ["Bearer abc.def-12", ["Bearer abc.def-12", "abc.def-12"]],
    [import.meta.dirname, []],
    [`${import.meta.dirname}/missing`, [`${import.meta.dirname}/missing`]],
    ["relative/path/to", ["relative/path/to"]],
    ["https://example.org/mcp", []],
    ["https://example.org:8080/", []],
    ["redis://localhost:6379", []],
    ["https://example.org/?k=1", ["https://example.org/?k=1"]],
    ["http://user@example.org/", ["http://user@example.org/"]],
    ["token:abcdefgh", ["token:abcdefgh"]],
    [
      "https://h/?api_key=sesame%2B12",
      ["https://h/?api_key=sesame%2B12", "sesame%2B12", "sesame+12"],
    ],
    ["mysql://u:s%40same-12@h/d", ["mysql://u:s%40same-12@h/d", "s%40same-12", "s@same-12"]],
  ])("of %j are %j", (value, secrets) => {
    expect(valuesOf({ A: value })).toEqual(secrets);
  });

  it("come from agents and MCP servers in the settings, not from the catalogue", () => {
    const servers = [
      { name: "a", command: "a", args: [], env: { A: "variable-1" } },
      { type: "http", name: "b", url: "https://h/?key=sesame-1", headers: { B: "header-12" } },
    ] as const;
    const env = { C: "variable-2" };
    expect(secretHider({ env, from: "settings" }, servers).values).toEqual([
      "variable-2",
      "variable-1",
      "header-12",
      "sesame-1",
    ]);
    const remote = { url: "wss://me:sesame-2@h/#token=sesame-3", headers: {} };
    expect(secretHider({ env: {}, from: "command line", remote }, []).values).toEqual([
      "sesame-2",
      "sesame-3",
    ]);
    expect(secretHider({ env, from: "catalogue" }, []).values).toEqual([]);
  });
});

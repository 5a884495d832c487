import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main, parseAdapterArgv } from "../../../src/apps/droid-acp/main.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

// oxlint-disable-next-line no-control-regex -- control characters are what this test is about
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

let folder = "";
useTempFolder((path) => (folder = path));

async function run(...argv: string[]) {
  let out = "";
  let err = "";
  const code = await main(argv, "1.2.3", {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  });
  return { code, out, err };
}

describe("droid-acp in a terminal", () => {
  it("prints an invalid command line without control characters", async () => {
    const { code, err } = await run("--nothing\u009b2J\u202e\u001b]0;t\u0007");
    expect(code).toBe(2);
    expect(err).toContain("--nothing<U+009B>2J");
    expect(err).not.toMatch(HARMFUL);
  });
  it.skipIf(process.platform === "win32").each([[[]], [["--json"]]])(
    "prints what Droid wrote without control characters: --doctor %j",
    async (more) => {
      const droid = join(folder, "droid");
      const script = `process.stderr.write("broke \\u001b[2J\\u009d0;t\\u009c\\u202e\\n"); process.exit(3)`;
      await writeFile(droid, `#!${process.execPath}\n${script}\n`);
      await chmod(droid, 0o700);
      const { code, out } = await run("--doctor", "--droid", droid, ...more);
      expect(code).toBe(1);
      expect(out).toContain("broke");
      expect(out).not.toMatch(HARMFUL);
    },
  );
});

describe("the command line of droid-acp", () => {
  const defaults = {
    action: "serve",
    executable: undefined,
    model: undefined,
    mode: undefined,
    idleMs: undefined,
    logFile: undefined,
    json: false,
    ignored: [] as string[],
  };
  it.each([
    [[], defaults],
    [["--doctor", "--model", "m"], { ...defaults, action: "doctor", model: "m" }],
    [["--doctor", "--json"], { ...defaults, action: "doctor", json: true }],
    [["--login"], { ...defaults, action: "login" }],
    [["--help", "--doctor"], { ...defaults, action: "help" }],
    [["--version"], { ...defaults, action: "version" }],
    [
      ["--droid", "/d", "--mode", "spec", "--idle-minutes", "0.5", "--log", "f"],
      { ...defaults, executable: "/d", mode: "spec", idleMs: 30_000, logFile: "f" },
    ],
    [["acp"], { ...defaults, ignored: ["acp"] }],
    [
      ["--acp", "--stdio", "--model", "acp", "--log", "acp"],
      { ...defaults, model: "acp", logFile: "acp", ignored: ["--acp", "--stdio"] },
    ],
  ])("accepts %j", (argv, expected) => {
    expect(parseAdapterArgv(argv)).toEqual(expected);
  });
  it.each([
    [["--mode", "bogus"]],
    [["--idle-minutes", "x"]],
    [["--idle-minutes", "-1"]],
    [["--what"]],
    [["stray"]],
  ])("rejects %j", (argv) => {
    expect(() => parseAdapterArgv(argv)).toThrow();
  });
});

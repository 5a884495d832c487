import { describe, expect, it } from "vitest";
import { parseArgv } from "../../../src/apps/droid-acp/argv.ts";

describe("the command line of droid-acp", () => {
  const defaults = {
    action: "serve",
    executable: undefined,
    model: undefined,
    mode: undefined,
    idleMinutes: undefined,
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
      { ...defaults, executable: "/d", mode: "spec", idleMinutes: 0.5, logFile: "f" },
    ],
    [["acp"], { ...defaults, ignored: ["acp"] }],
    [
      ["--acp", "--stdio", "--model", "acp", "--log", "acp"],
      { ...defaults, model: "acp", logFile: "acp", ignored: ["--acp", "--stdio"] },
    ],
  ])("accepts %j", (argv, expected) => {
    expect(parseArgv(argv)).toEqual({ ok: true, arguments: expected });
  });
  it.each([
    [["--mode", "bogus"]],
    [["--idle-minutes", "x"]],
    [["--idle-minutes", "-1"]],
    [["--what"]],
    [["stray"]],
  ])("rejects %j", (argv) => {
    expect(parseArgv(argv).ok).toBe(false);
  });
});

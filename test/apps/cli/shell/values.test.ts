import { describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import {
  colorOption,
  failOnOption,
  outputMode,
  parseTime,
  protocolOption,
  setOptions,
} from "../../../../src/apps/cli/shell/option-values.ts";
import type { Values } from "../../../../src/apps/cli/shell/parse.ts";
import { usageMessage } from "./usage-message.ts";

describe("option values", () => {
  const mode = (...argv: string[]) => outputMode(GRAMMAR.parse(argv).values);
  it.each([
    [[], "text"],
    [["-o", "text"], "text"],
    [["-o", "simple"], "simple"],
    [["-o", "jsonl"], "jsonl"],
    [["-o", "json"], "jsonl"],
    [["-j"], "jsonl"],
    [["--jsonl"], "jsonl"],
    [["--outputmode=events"], "events"],
  ])("%j selects the output mode %s", (argv, expected) => {
    expect(mode(...argv)).toBe(expected);
  });
  it.each([
    [[], undefined],
    [["--protocol", "1"], 1],
    [["--protocol=2"], 2],
    [["--protocol", "newest"], "newest"],
  ])("%j asks for version %s of the protocol", (argv, expected) => {
    expect(protocolOption(GRAMMAR.parse(argv).values)).toBe(expected);
  });
  it.each<[string, (values: Values) => unknown, string]>([
    ["-j -o text", outputMode, "contradict"],
    ["-o xml", outputMode, '"xml" is not one of'],
    ["--color blue", colorOption, '"blue"'],
    ["--set k", (values) => setOptions(values.list("set")), "KEY=VALUE"],
    ["--fail-on ,", failOnOption, "--fail-on"],
  ])("%s is a usage error", (line, read, message) => {
    expect(usageMessage(line.split(" "), ({ values }) => read(values))).toContain(message);
  });

  it.each([
    ["90", 90_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["250ms", 250],
    ["1h", 3_600_000],
  ])("%s is a duration of %i ms", (text, ms) => {
    expect(parseTime(text, "--timeout")).toBe(ms);
  });
  it.each(["", "0", "-1", "soon", "1d", "1e9h", "99999999h"])("%j is not a duration", (text) => {
    expect(() => parseTime(text, "--timeout")).toThrow("is not a duration");
  });

  it.each([
    ["refusal", "refusal", true],
    ["refusal, max_tokens", "max_tokens", true],
    ["refusal", "max_tokens", false],
    ["any", "end_turn", false],
    ["any", "something_new", true],
  ])("--fail-on %s with the stop reason %s fails: %s", (list, reason, fails) => {
    expect(failOnOption(GRAMMAR.parse(["--fail-on", list]).values)(reason)).toBe(fails);
  });
});

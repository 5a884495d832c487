import { describe, expect, it } from "vitest";
import { parseArguments } from "../../../src/cli/args/parse.ts";
import {
  colourChoice,
  failOn,
  outputMode,
  parseTime,
  setOptions,
} from "../../../src/cli/args/values.ts";
import { CliError, failureLine } from "../../../src/cli/exit.ts";

/** The one line a wrong command line is answered with. */
function complaint(
  argv: readonly string[],
  use: (parsed: ReturnType<typeof parseArguments>) => unknown = () => {},
) {
  try {
    use(parseArguments(argv));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    expect(error.code).toBe(2);
    const line = failureLine(error.details);
    expect(line).not.toContain("\n");
    return line;
  }
  return "no complaint";
}

describe("arguments", () => {
  it.each([
    [["hello"], "prompt", ["hello"]],
    [["two", "words"], "prompt", ["two", "words"]],
    [[], "prompt", []],
    [["chat"], "chat", []],
    [["-a", "demo", "chat"], "chat", []],
    [["--", "chat"], "prompt", ["chat"]],
    [["--", "-x"], "prompt", ["-x"]],
    [["a", "--", "b"], "prompt", ["a", "b"]],
    [["sessions", "show", "id"], "sessions", ["show", "id"]],
    [["what is chat"], "prompt", ["what is chat"]],
  ])("%j are the command and words %s %j", (argv, command, words) => {
    const parsed = parseArguments(argv);
    expect(parsed.command).toBe(command);
    expect(parsed.words).toEqual(words);
  });

  it("take values in every spelling, and the last one counts", () => {
    for (const argv of [
      ["-a", "x"],
      ["--agent", "x"],
      ["--agent=x"],
      ["-ax"],
      ["-a", "y", "-a", "x"],
    ]) {
      expect(parseArguments(argv).values.text("agent")).toBe("x");
    }
  });

  it("collect what may be given more than once", () => {
    const { values } = parseArguments(["--image", "a.png", "--image=b.png", "--set", "k=v"]);
    expect(values.list("image")).toEqual(["a.png", "b.png"]);
    expect(setOptions(values)).toEqual([["k", "v"]]);
  });

  it("take short switches together", () => {
    const { values } = parseArguments(["-jv"]);
    expect([values.flag("jsonl"), values.flag("verbose"), values.flag("write")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each([
    [["--agnet", "x"], "unknown option --agnet; try: --agent"],
    [["--wirte"], "unknown option --wirte; try: --write"],
    [["--nope"], "unknown option --nope; try: dragoman --help"],
    [["--quite-unlike-anything"], "unknown option --quite-unlike-anything; try: dragoman --help"],
    [["-z"], "unknown option -z; try: dragoman --help"],
    [["--agent"], "--agent needs a value (NAME)"],
    [["--agent", "--write"], "--agent needs a value (NAME); try: --agent=--write"],
    [["--write=yes"], "--write takes no value"],
    [["agents", "--yolo"], "--yolo does not go with agents, only with a prompt, chat"],
    [["replay", "--agent", "x"], "--agent does not go with replay"],
  ])("%j are answered in one line", (argv, line) => {
    expect(complaint(argv)).toContain(line);
  });
});

describe("values", () => {
  const mode = (...argv: string[]) => outputMode(parseArguments(argv).values);
  it.each([
    [[], "text"],
    [["-o", "text"], "text"],
    [["-o", "simple"], "simple"],
    [["-o", "jsonl"], "jsonl"],
    [["-o", "json"], "jsonl"],
    [["-j"], "jsonl"],
    [["--jsonl"], "jsonl"],
    [["--outputmode=events"], "events"],
  ])("%j is the output mode %s", (argv, expected) => {
    expect(mode(...argv)).toBe(expected);
  });
  it("contradictions are refused", () => {
    expect(complaint(["-j", "-o", "text"], ({ values }) => outputMode(values))).toContain(
      "contradict",
    );
    expect(complaint(["-o", "xml"], ({ values }) => outputMode(values))).toContain(
      '"xml" is not one of',
    );
    expect(complaint(["--color", "blue"], ({ values }) => colourChoice(values))).toContain(
      '"blue"',
    );
    expect(complaint(["--set", "k"], ({ values }) => setOptions(values))).toContain("KEY=VALUE");
    expect(complaint(["--fail-on", ","], ({ values }) => failOn(values))).toContain("--fail-on");
  });

  it.each([
    ["90", 90_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["250ms", 250],
    ["1h", 3_600_000],
  ])("%s is a time", (text, ms) => {
    expect(parseTime(text, "--timeout")).toBe(ms);
  });
  it.each(["", "0", "-1", "soon", "1d", "1e9h", "99999999h"])("%j is no time", (text) => {
    expect(() => parseTime(text, "--timeout")).toThrow("is not a time");
  });

  it.each([
    ["refusal", "refusal", true],
    ["refusal, max_tokens", "max_tokens", true],
    ["refusal", "max_tokens", false],
    ["any", "end_turn", false],
    ["any", "something_new", true],
  ])("--fail-on %s and the stop reason %s", (list, reason, fails) => {
    expect(failOn(parseArguments(["--fail-on", list]).values)(reason)).toBe(fails);
  });
});

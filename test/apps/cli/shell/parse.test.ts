import { describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { setOptions } from "../../../../src/apps/cli/shell/option-values.ts";
import { usageMessage } from "./usage-message.ts";

describe("parsed arguments", () => {
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
  ])("of %j are the command %s and the words %j", (argv, command, words) => {
    const parsed = GRAMMAR.parse(argv);
    expect(parsed.command.name).toBe(command);
    expect(parsed.words).toEqual(words);
  });

  it("have the last value of an option, in every spelling", () => {
    for (const argv of [
      ["-a", "x"],
      ["--agent", "x"],
      ["--agent=x"],
      ["-ax"],
      ["-a", "y", "-a", "x"],
    ]) {
      expect(GRAMMAR.parse(argv).values.text("agent")).toBe("x");
    }
  });

  it("collect the values of an option that may be repeated", () => {
    const { values } = GRAMMAR.parse(["--image", "a.png", "--image=b.png", "--set", "k=v"]);
    expect(values.list("image")).toEqual(["a.png", "b.png"]);
    expect(setOptions(values.list("set"))).toEqual([["k", "v"]]);
  });

  it("accept short switches in one word", () => {
    const { values } = GRAMMAR.parse(["-jv"]);
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
    [["agents", "--yolo"], "--yolo does not apply to agents, only to a prompt, chat"],
    [["replay", "--agent", "x"], "--agent does not apply to replay"],
    [["-p", "hi"], "there is no -p here"],
    [["--output-format", "json", "hi"], "there is no --output-format here"],
    [["--output-format=json", "hi"], "there is no --output-format here"],
    [["--prompt", "hi"], "--prompt does not apply to a prompt, only to doctor"],
  ])("of %j fail with a message of one line", (argv, line) => {
    expect(usageMessage(argv)).toContain(line);
  });
});

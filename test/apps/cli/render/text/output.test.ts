import { describe, expect, it } from "vitest";
import {
  mergeToolCall,
  type ToolCallState,
  toToolCallPatch,
} from "../../../../../src/protocol/acp/index.ts";
import {
  EVERYTHING,
  LAST_LINES,
  outputLines,
  toolOutput,
} from "../../../../../src/apps/cli/render/text/tool-output.ts";
import { plain } from "../../../../../src/apps/cli/render/terminal/style.ts";
import { events, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../../commands/setup.ts";

const text = (value: string) => ({ type: "content", content: { type: "text", text: value } });

function call(fields: object): ToolCallState {
  const patch = toToolCallPatch({ toolCallId: "t", ...fields });
  if (patch === undefined) throw new Error("not a tool call");
  return mergeToolCall(undefined, patch);
}

describe("the output of a tool call", () => {
  it.each([
    ["the text of its content", { content: [text("a"), text("b")] }, "a\nb"],
    ["without a fence for editors", { content: [text("```console\n$ x\n```")] }, "$ x"],
    ["a raw output that is text", { rawOutput: "no such file\n" }, "no such file"],
    ["stdout and stderr", { rawOutput: { stdout: "out\n", stderr: "err\n" } }, "out\nerr"],
    ["the whole output", { rawOutput: { stdout: "o", aggregated_output: "all" } }, "all"],
    ["an error", { rawOutput: { error: "denied" } }, "denied"],
    ["a nested error", { rawOutput: { error: { message: "denied" } } }, "denied"],
    ["an exit code", { rawOutput: { stdout: "out", exit_code: 2 } }, "out\nexit code 2"],
    ["no exit code of success", { rawOutput: { stdout: "out", exitCode: 0 } }, "out"],
    [
      "both, without saying anything twice",
      { content: [text("the build broke: denied")], rawOutput: { error: "denied", stdout: "x" } },
      "the build broke: denied",
    ],
    ["nothing of an unknown shape", { rawOutput: [1, { a: 2 }] }, ""],
    ["nothing of other content", { content: [{ type: "terminal", terminalId: "1" }] }, ""],
  ])("is %s", (_case, fields, output) => {
    expect(toolOutput(call(fields))).toBe(output);
  });
});

describe("the lines of an output", () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `${n}\n`).join("");

  it("are its last ones", () => {
    expect(outputLines(lines(22), plain)).toHaveLength(LAST_LINES.lines + 1);
    expect(outputLines(lines(22), plain).slice(0, 2)).toEqual(["  … 2 lines before", "  2"]);
    expect(outputLines(lines(22), plain, { limits: EVERYTHING })).toHaveLength(22);
  });
  it("are none if it is empty", () => {
    expect(outputLines(" \n\n", plain)).toEqual([]);
  });
  it("cannot act on the terminal", () => {
    expect(outputLines("\u001b]0;x\u0007a\u001b[2J\tb", plain)).toEqual(["  ␛]0;x␇a␛[2J b"]);
  });
});

describe("in text mode", () => {
  const folders = foldersForAll();
  const dragoman = (...argv: string[]) => run([...withAgent(), ...argv], folders);
  const output = JSON.stringify({
    content: [text(Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n"))],
    rawOutput: { error: "2 tests failed" },
  });

  it("a tool that fails says why, after its last lines of output", async () => {
    const { err } = await dragoman(`failing ${output}`);
    expect(err).toMatch(
      /\[tool\] npm test \(failed, .* s\)\n {2}… 11 lines before\n {2}line 11\n[^]* {2}line 29\n {2}2 tests failed\n$/,
    );
  });
  it("a tool that succeeds shows its output only with --verbose", async () => {
    expect((await dragoman(`passing ${output}`)).err).not.toContain("line 29");
    const { err } = await dragoman("-v", `passing ${output}`);
    expect(err).toContain("(completed");
    expect(err).toContain("  line 0\n");
    expect(err).toContain("  line 29\n");
  });
  it("a command on this side that fails shows its last lines", async () => {
    const { err, out } = await dragoman("--exec", "terminal echo broken; exit 3");
    expect(out).toBe("broken\n");
    expect(err).toContain("[terminal] echo broken; exit 3 (exit code 3)\n  broken\n");
  });
  it("a command on this side that succeeds is shown only with --verbose", async () => {
    expect((await dragoman("--exec", "terminal echo fine")).err).not.toContain("[terminal]");
    const { err } = await dragoman("-v", "--exec", "terminal echo fine");
    expect(err).toContain("[terminal] echo fine (exit code 0)\n  fine\n");
  });
  it("simple output has none of it", async () => {
    expect((await dragoman("-o", "simple", `failing ${output}`)).err).toBe("");
  });
  it("events have the commands on this side and everything they print", async () => {
    const { out } = await dragoman("--exec", "-o", "events", "terminal printf 'one\\ntwo'; exit 3");
    const about = events(out).filter(({ type }) => String(type).startsWith("terminal"));
    const [created, ...rest] = about;
    expect(created).toMatchObject({
      type: "terminal",
      command: "printf 'one\\ntwo'; exit 3",
      cwd: folders.cwd,
      by: "client",
    });
    const data = rest.map(({ data }) =>
      typeof data === "string" ? Buffer.from(data, "base64").toString() : "",
    );
    expect(data.join("")).toBe("one\ntwo");
    expect(rest.at(-1)).toMatchObject({ type: "terminal", exit: { code: 3 }, by: "client" });
  });
});

import { describe, expect, it } from "vitest";
import {
  withMergedOutput,
  posixShell,
  windowsShellCommand,
  shellCommand,
} from "../../../src/base/process/shell.ts";

describe("the shell for a command line", () => {
  it("is a login bash if there is one, otherwise sh", async () => {
    expect(await posixShell("/nowhere")).toEqual(["sh", "-c"]);
    expect(await posixShell("/nowhere:/usr/bin:/bin")).toEqual(["bash", "-lc"]);
  });

  it("gets the command line as its last argument, on Windows in quotes", () => {
    expect(shellCommand(["zsh", "-f", "-c"], "a b")).toEqual({
      command: "zsh",
      args: ["-f", "-c", "a b"],
    });
    expect(windowsShellCommand('echo "x"')).toEqual({
      command: "cmd.exe",
      args: ["/d", "/s", "/C", '"echo "x""'],
      verbatim: true,
    });
    expect(withMergedOutput({ command: "a", args: ["b c"] }).args.slice(-2)).toEqual(["a", "b c"]);
  });
});

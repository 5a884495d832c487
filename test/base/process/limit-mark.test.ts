import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startProcess } from "../../../src/base/process/spawn.ts";
import { hasLimits } from "./limits.ts";
import { hasLimitMark, limitWords, newLimitMark } from "../../../src/base/process/limit-mark.ts";

const mark = newLimitMark();
const words = await limitWords(mark);

it("the mark of a tree is unique and fits into a limit", () => {
  expect(newLimitMark()).not.toBe(mark);
  for (const one of [mark, newLimitMark()]) {
    expect(BigInt(one)).toBeGreaterThanOrEqual(2n ** 61n);
    expect(BigInt(one)).toBeLessThan(2n ** 62n);
  }
});

it("trees are marked wherever the system allows it", () => {
  expect(words !== undefined).toBe(hasLimits);
});

it("a process that has exited carries no mark", () => {
  expect(hasLimitMark(2 ** 30, mark)).toBe(false);
});

describe.runIf(words !== undefined)("a command that is started with the mark", () => {
  const start = (script: string, stdin: "pipe" | "ignore" = "ignore") =>
    startProcess(
      { command: "sh", args: ["-c", script, "--zero"], cwd: "/", env: { A_VARIABLE: "a value" } },
      { stdio: [stdin, "pipe", "inherit"], before: words },
    );

  it("passes it on to a process without an environment", async () => {
    const child = await start("exec env -i setsid cat /proc/self/limits");
    expect(await text(child.stdout!)).toContain(` ${mark} `);
  });

  it("carries it under its own pid", async () => {
    const child = await start("echo $$; read -r line", "pipe");
    const [line] = await once(child.stdout!, "data");
    expect(Number(line)).toBe(child.pid);
    expect(hasLimitMark(Number(line), mark)).toBe(true);
    child.stdin!.end();
    await once(child, "exit");
  });

  it("keeps its arguments, variables, working folder, limits for files and exit code", async () => {
    const child = await start('echo "$0 $A_VARIABLE $PWD $(ulimit -n)"; exit 7');
    const exited = once(child, "exit");
    const files = execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" });
    expect(await text(child.stdout!)).toBe(`--zero a value / ${files}`);
    expect(await exited).toEqual([7, null]);
  });

  it("is ended by a signal as usual", async () => {
    const child = await start("echo started; exec sleep 1000");
    await once(child.stdout!, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  });
});

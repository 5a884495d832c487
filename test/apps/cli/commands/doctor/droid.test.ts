import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { events, run } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
describe("dragoman doctor droid", () => {
  const ask = async (checks: readonly object[], rc: number, ...argv: string[]) => {
    const script = join(folders.home, "fake-droid-acp.mjs");
    const lines = checks.map((check) => `${JSON.stringify({ ms: 1200, ...check })}\n`).join("");
    await writeFile(
      script,
      `process.stdout.write(${JSON.stringify(lines)}); process.stderr.write(process.argv.slice(2).join(" ")); process.exitCode = ${rc};`,
    );
    return run(["doctor", "droid", ...argv], { ...folders, droidAcp: script });
  };
  const good = { name: "executable", result: "ok", message: "/bin/droid" };
  const old = { name: "version", result: "warning", message: "0.1 is old", advice: "Update." };
  const login = { name: "access", result: "failed", message: "no login", advice: "Run `x`." };
  const broken = { name: "handshake", result: "failed", message: "it does not answer" };

  it("prints the checks of droid-acp as steps", async () => {
    expect(await ask([good, old], 0)).toMatchObject({
      code: 0,
      out: "ok   executable  1.20 s  /bin/droid\nwarn version     1.20 s  0.1 is old\n                         Update.\ndroid works\n",
      err: "",
    });
  });
  it("distinguishes a missing login from a Droid that does not work", async () => {
    expect(await ask([good, login], 1)).toMatchObject({
      code: 6,
      last: "no login; try: run `x`",
    });
    expect(await ask([good, broken], 1)).toMatchObject({ code: 7, last: "it does not answer" });
  });
  it("writes the checks as events", async () => {
    const { out } = await ask([old], 0, "-o", "events");
    expect(events(out).slice(0, -1)).toEqual([
      {
        v: 1,
        type: "doctor",
        step: "version",
        ok: true,
        detail: "0.1 is old",
        ms: 1200,
        advice: "Update.",
      },
    ]);
  });
  it("passes the model on, and prints the stderr of an adapter that fails", async () => {
    const { code, last } = await ask([], 3, "--model", "m");
    expect(code).toBe(7);
    expect(last).toBe(
      "droid-acp --doctor failed (exit code 3); stderr ends with: --doctor --json --model m",
    );
  });
});

/** Builds droid-acp from source once per test file, and starts it the way an editor does. */
import { mkdtemp, rm } from "node:fs/promises";
import { spawn, type ChildProcess } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";
import { afterAll } from "vitest";
import type { DroidHome } from "../../support/droid/home.ts";

const entry = fileURLToPath(new URL("../../../src/apps/bin/droid-acp.ts", import.meta.url));
let built: Promise<string> | undefined;

afterAll(async () => {
  const path = await built?.catch(() => undefined);
  if (path !== undefined) await rm(join(path, ".."), { recursive: true, force: true });
});

/** The path of a built droid-acp. */
export function droidAcp(): Promise<string> {
  built ??= bundle();
  return built;
}

async function bundle(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "droid-acp-bin-"));
  const output = { dir, format: "esm", entryFileNames: "droid-acp.mjs" } as const;
  await build({ input: entry, platform: "node", output, logLevel: "silent" });
  return join(dir, "droid-acp.mjs");
}

/** Starts droid-acp with pipes, and collects its output. */
export async function spawnDroidAcp(
  home: DroidHome,
  args: readonly string[],
  cwd = home.workspace,
): Promise<ChildProcess & { readonly out: () => string; readonly err: () => string }> {
  const child = spawn(process.execPath, [await droidAcp(), ...args], { cwd, env: home.env });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on("error", () => {});
  return Object.assign(child, { out: () => out, err: () => err });
}

/** Resolves with the exit code, or the signal. */
export function exited(child: ChildProcess): Promise<number | string | null> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
}

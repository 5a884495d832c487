import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VARIABLE = "NODE_REDIRECT_WARNINGS";

/**
 * For vitest's `globalSetup`: a file handle that the garbage collector had to close fails the run. Node only warns
 * about it, in whichever process it was, so the warnings of the test processes and of their children go to a file.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Each project of a configuration calls this.
  if (process.env[VARIABLE] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "dragoman-warnings-"));
  const file = join(folder, "warnings.txt");
  process.env[VARIABLE] = file;
  return async () => {
    const warnings = await readFile(file, "utf8").catch(() => "");
    await rm(folder, { recursive: true });
    // A program that warns does so often.
    const different = new Set(
      warnings.split("\n").map((line) => line.replace(/^\(node:\d+\) /, "")),
    );
    if (warnings !== "") console.warn([...different].join("\n"));
    if (!warnings.includes("on garbage collection")) return;
    console.error("The garbage collector closed a file handle that nothing else had closed.");
    // Vitest prints an error of a teardown, and the run still succeeds.
    process.exitCode = 1;
  };
}

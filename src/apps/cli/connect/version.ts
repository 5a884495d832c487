import { deferred, within, startCommand, sanitizeLine } from "../../../base/index.ts";

/**
 * The time limit for `--version`. A program may ignore the flag and start something else, and Gemini CLI
 * (0.61.0) loads for 2 s on an idle machine before it prints its version.
 */
const VERSION_MS = 20_000;

const KEPT_BYTES = 16 * 1024;

/**
 * The version that a program prints for `--version`; undefined if it prints none in time. The program is
 * not expected to exit: some print their version and keep running, or exit with a nonzero code.
 */
export async function versionOf(
  path: string,
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly ms?: number | undefined;
  },
): Promise<string | undefined> {
  const { cwd, env, ms = VERSION_MS } = options;
  const printed = deferred();
  try {
    const command = await startCommand({
      command: path,
      args: ["--version"],
      cwd,
      env,
      outputBytes: KEPT_BYTES,
      termMs: 0,
      onOutput: () => {
        if (versionIn(wholeLines(command.output().output)) !== undefined) printed.resolve();
      },
    });
    await within(Promise.race([command.exited, printed.promise]), ms);
    const { output } = command.output();
    await command.release();
    return versionIn(command.exit === undefined ? wholeLines(output) : output);
  } catch {
    return undefined;
  }
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

/** Warnings and errors of the runtime have numbers in them too. */
const NOT_A_VERSION = /^\(node:\d+\)|^at |:\/\/|warning|error/i;

function versionIn(text: string): string | undefined {
  const lines = text.split("\n").map((line) => sanitizeLine(line.trim()));
  return lines.find((line) => /\d+\.\d+/.test(line) && !NOT_A_VERSION.test(line));
}

import { spawn } from "node:child_process";
import type { Io } from "../shell/io.ts";
import type { Preferences } from "../settings/keys.ts";

/**
 * Shows text, which the caller has sanitized, in the pager of the settings or else in `$PAGER`. Resolves
 * with false if there is no pager, no terminal, or the pager fails; the caller then prints the text
 * itself. The signal ends the pager.
 */
export async function showInPager(
  { io, preferences }: { readonly io: Io; readonly preferences: Pick<Preferences, "pager"> },
  text: string,
  signal: AbortSignal,
): Promise<boolean> {
  const pager = (preferences.pager ?? io.env["PAGER"])?.trim();
  if (pager === undefined || pager === "") return false;
  const terminal = io.openTerminalStdio();
  if (terminal === undefined) return false;
  const [, stdout, stderr] = terminal.stdio;
  try {
    return await new Promise((resolve) => {
      const child = spawn(pager, {
        shell: true,
        stdio: ["pipe", stdout, stderr],
        env: { ...io.env },
        signal,
      });
      child.once("error", () => resolve(false));
      child.once("close", (code) => resolve(code === 0));
      // A pager that is left early closes its input.
      child.stdin?.on("error", () => {});
      child.stdin?.end(text);
    });
  } finally {
    terminal.close();
  }
}

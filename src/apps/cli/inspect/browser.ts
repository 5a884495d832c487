import { startProcess } from "../../../base/index.ts";
import type { Io } from "../shell/io.ts";

/**
 * Opens an address in the user's browser, if there is a desktop. Failures do not matter, because the address
 * was printed. Never rejects.
 */
export async function openBrowser(io: Pick<Io, "platform" | "env">, url: string): Promise<void> {
  const command = browserCommand(io);
  if (command === undefined) return;
  const [name, ...args] = command;
  try {
    const line = { command: name, args: [...args, url], env: io.env };
    const child = await startProcess(line, { stdio: "ignore" });
    child.unref();
  } catch {
    // There is no such program.
  }
}

/** The command that opens an address; undefined without a desktop. Pure. */
export function browserCommand({
  platform,
  env,
}: Pick<Io, "platform" | "env">): readonly [string, ...string[]] | undefined {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
  }
}

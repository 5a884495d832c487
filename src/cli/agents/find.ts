import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Io } from "../io.ts";

/** Where a command would be started from; undefined if the system would not find it. */
export async function findCommand(
  command: string,
  io: Pick<Io, "env" | "platform" | "cwd">,
): Promise<string | undefined> {
  const windows = io.platform === "win32";
  const endings = windows ? ["", ...(io.env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";")] : [""];
  const named = command.includes("/") || (windows && command.includes("\\"));
  const folders = named ? [""] : pathOf(io.env).split(delimiter);
  for (const folder of folders) {
    if (folder === "" && !named) continue;
    for (const ending of endings) {
      const path = isAbsolute(command) ? command : resolve(io.cwd, join(folder, command));
      if (await isExecutable(path + ending)) return path + ending;
    }
  }
  return undefined;
}

/** Windows spells the variable as it likes. */
function pathOf(env: Io["env"]): string {
  return env["PATH"] ?? env["Path"] ?? "";
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

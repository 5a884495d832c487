import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isExecutable } from "../../../base/index.ts";
import type { Io } from "../shell/io.ts";
import type { CatalogueEntry } from "./catalogue.ts";

/** The path that the system would start a command from; undefined if it would not find the command. */
export async function findCommand(
  command: string,
  io: Pick<Io, "env" | "platform" | "cwd">,
): Promise<string | undefined> {
  const windows = io.platform === "win32";
  const extensions = windows
    ? ["", ...(io.env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";")]
    : [""];
  const isPath = command.includes("/") || (windows && command.includes("\\"));
  const folders = isPath ? [""] : pathOf(io.env).split(delimiter);
  for (const folder of folders) {
    if (folder === "" && !isPath) continue;
    for (const extension of extensions) {
      const path = isAbsolute(command) ? command : resolve(io.cwd, join(folder, command));
      if (await isExecutable(path + extension)) return path + extension;
    }
  }
  return undefined;
}

/** Whether every command that a catalogued agent needs is installed. */
export async function isInstalled(
  entry: CatalogueEntry,
  io: Pick<Io, "env" | "platform" | "cwd" | "home">,
): Promise<boolean> {
  const own = typeof entry.command === "string" ? [entry.command] : [];
  for (const need of entry.needs ?? own) {
    const named = entry.searchPaths === undefined ? undefined : io.env[entry.searchPaths.variable];
    const folders = entry.searchPaths?.folders.map((folder) => join(io.home, folder, need)) ?? [];
    const candidates = named === undefined || named === "" ? [need, ...folders] : [named];
    const found = await Promise.all(candidates.map((candidate) => findCommand(candidate, io)));
    if (found.every((path) => path === undefined)) return false;
  }
  return true;
}

/** On Windows the variable may be spelled `Path`. */
function pathOf(env: Io["env"]): string {
  return env["PATH"] ?? env["Path"] ?? "";
}

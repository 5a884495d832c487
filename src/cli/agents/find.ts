import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isExecutable } from "../../wire/index.ts";
import type { Io } from "../io.ts";
import type { CatalogueEntry } from "./catalogue.ts";

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

/** Whether everything a catalogued agent needs is there. */
export async function isInstalled(
  entry: CatalogueEntry,
  io: Pick<Io, "env" | "platform" | "cwd" | "home">,
): Promise<boolean> {
  const own = typeof entry.command === "string" ? [entry.command] : [];
  for (const need of entry.needs ?? own) {
    const named = entry.places === undefined ? undefined : io.env[entry.places.variable];
    const folders = entry.places?.folders.map((folder) => join(io.home, folder, need)) ?? [];
    const candidates = named === undefined || named === "" ? [need, ...folders] : [named];
    const found = await Promise.all(candidates.map((candidate) => findCommand(candidate, io)));
    if (found.every((path) => path === undefined)) return false;
  }
  return true;
}

/** Windows spells the variable as it likes. */
function pathOf(env: Io["env"]): string {
  return env["PATH"] ?? env["Path"] ?? "";
}

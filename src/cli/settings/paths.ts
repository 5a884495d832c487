import { join } from "node:path";
import type { Io } from "../io.ts";

/** What decides where files of the user are. */
export type PathIo = Pick<Io, "env" | "home" | "platform">;

const NAME = "dragoman";

/** The folder of the user's settings. XDG_CONFIG_HOME is honoured everywhere. */
export function configFolder(io: PathIo): string {
  return folder(io, "XDG_CONFIG_HOME", {
    win32: [io.env["APPDATA"] ?? join(io.home, "AppData", "Roaming"), NAME, "Config"],
    darwin: [io.home, "Library", "Preferences", NAME],
    other: [io.home, ".config", NAME],
  });
}

/** The folder of what is remembered between runs. XDG_STATE_HOME is honoured everywhere. */
export function stateFolder(io: PathIo): string {
  return folder(io, "XDG_STATE_HOME", {
    win32: [io.env["LOCALAPPDATA"] ?? join(io.home, "AppData", "Local"), NAME, "State"],
    darwin: [io.home, "Library", "Application Support", NAME],
    other: [io.home, ".local", "state", NAME],
  });
}

/** Where settings are looked for, apart from `--settings`. */
export function settingsPaths(io: PathIo, cwd: string): { project: string; user: string } {
  return {
    project: join(cwd, ".dragoman", "settings.json"),
    user: join(configFolder(io), "settings.json"),
  };
}

function folder(
  io: PathIo,
  variable: string,
  defaults: Readonly<Record<"win32" | "darwin" | "other", readonly string[]>>,
): string {
  const base = io.env[variable];
  // The XDG specification has relative values ignored.
  if (base !== undefined && base.startsWith("/")) return join(base, NAME);
  const { platform } = io;
  return join(...defaults[platform === "win32" || platform === "darwin" ? platform : "other"]);
}

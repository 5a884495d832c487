import { join, posix, win32 } from "node:path";

/** The facts that determine where a user's files are. */
export interface UserEnvironment {
  /** The environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** The platform, as Node names it. */
  readonly platform: string;
}

const NAME = "dragoman";

/** The folder for the user's settings. `XDG_CONFIG_HOME` takes precedence on every platform. Pure. */
export function configFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_CONFIG_HOME", {
    win32: [env["APPDATA"] ?? join(home, "AppData", "Roaming"), NAME, "Config"],
    darwin: [home, "Library", "Preferences", NAME],
    other: [home, ".config", NAME],
  });
}

/**
 * The folder for state that is kept between runs. `XDG_STATE_HOME` takes precedence on every
 * platform. Pure.
 */
export function stateFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_STATE_HOME", {
    win32: [env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), NAME, "State"],
    darwin: [home, "Library", "Application Support", NAME],
    other: [home, ".local", "state", NAME],
  });
}

/** The folder for data, such as installed agents. `XDG_DATA_HOME` takes precedence on every platform. Pure. */
export function dataFolder(user: UserEnvironment): string {
  const { env, home } = user;
  return userFolder(user, "XDG_DATA_HOME", {
    win32: [env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), NAME, "Data"],
    darwin: [home, "Library", "Application Support", NAME],
    other: [home, ".local", "share", NAME],
  });
}

function userFolder(
  { env, platform }: UserEnvironment,
  variable: string,
  defaults: Readonly<Record<"win32" | "darwin" | "other", readonly string[]>>,
): string {
  const base = env[variable];
  const paths = platform === "win32" ? win32 : posix;
  // The XDG specification says to ignore relative values.
  if (base !== undefined && paths.isAbsolute(base)) return join(base, NAME);
  return join(...defaults[platform === "win32" || platform === "darwin" ? platform : "other"]);
}

import { join } from "node:path";
import { configFolder, type UserEnvironment } from "../../wire/index.ts";

/** Where settings are looked for, apart from `--settings`. */
export function settingsPaths(
  user: UserEnvironment,
  cwd: string,
): { project: string; user: string } {
  return {
    project: join(cwd, ".dragoman", "settings.json"),
    user: join(configFolder(user), "settings.json"),
  };
}

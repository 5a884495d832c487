import { join } from "node:path";
import { configFolder, type UserEnvironment } from "../../wire/index.ts";

/** The settings files that are used without `--settings`. */
export function settingsPaths(
  user: UserEnvironment,
  cwd: string,
): { project: string; user: string } {
  return {
    project: join(cwd, ".dragoman", "settings.json"),
    user: join(configFolder(user), "settings.json"),
  };
}

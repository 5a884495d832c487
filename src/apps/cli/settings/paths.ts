import { join } from "node:path";
import { configFolder, type UserEnvironment } from "../../../base/index.ts";

const NAME = "settings.json";

/** The settings of the user. */
export function userSettingsPath(user: UserEnvironment): string {
  return join(configFolder(user), NAME);
}

/** The settings of a project in this folder. */
export function projectSettingsPath(cwd: string): string {
  return join(cwd, ".dragoman", NAME);
}

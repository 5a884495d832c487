import { dirname, join, resolve } from "node:path";
import type { Values } from "../shell/parse.ts";
import { CliError, usageError } from "../shell/exit.ts";
import type { Environment, Io } from "../shell/io.ts";
import { VARIABLES, type AgentDefaults } from "./keys.ts";
import type { OwnSettings } from "./load.ts";

export function applyEnvironment(values: Values, env: Environment): void {
  for (const [variable, option] of Object.entries(VARIABLES)) {
    const value = env[variable];
    if (value !== undefined && value !== "") values.set(option, value, "environment");
  }
}

/** Adds the settings for every run to its values. The default agent is chosen elsewhere. */
export function applyPreferences(
  values: Values,
  { file, settings }: OwnSettings,
  io: Pick<Io, "cwd" | "home">,
): void {
  const { output, permissions, theme } = settings.preferences;
  if (output !== undefined) values.set("outputmode", output, "settings");
  if (theme === "none") values.set("color", "never", "settings");
  if (permissions !== undefined) {
    values.set("permissions", fileIn(permissions, resolve(io.cwd, file), io.home), "settings");
  }
}

/** The path of a file that settings name: relative to their folder, or to the home folder after `~/`. */
function fileIn(path: string, settings: string, home: string): string {
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(dirname(settings), path);
}

/** Options that decide something before the agent is known, so that an agent cannot have them. */
const TOO_LATE = new Set(["no-ask", "agent", "agent-command", "agent-url", "settings", "cwd"]);

/** The groups whose options settings can give an agent. */
const AGENT_GROUPS = new Set(["Agent", "Permissions", "Limits"]);

/** Adds the settings of the chosen agent to the values of a run. Throws a usage error for wrong flags. */
export function applyAgentDefaults(
  values: Values,
  name: string,
  defaults: AgentDefaults,
  file: string,
): void {
  const { mode, model, options, flags } = defaults;
  if (mode !== undefined) values.set("mode", mode, "agent");
  if (model !== undefined) values.set("model", model, "agent");
  for (const [id, value] of Object.entries(options)) values.set("set", `${id}=${value}`, "agent");
  const parsed = parseFlags(values, flags, `${file}: agents.${name}.flags`);
  for (const [option, value] of parsed.given()) values.set(option, value, "agent");
}

function parseFlags({ grammar }: Values, flags: readonly string[], where: string): Values {
  try {
    const { command, words, values } = grammar.parse(flags);
    if (command !== grammar.prompt || words.length > 0)
      throw usageError("only options are allowed");
    for (const name of values.names()) {
      const group = grammar.option(name)?.group ?? "General";
      if (AGENT_GROUPS.has(group) && !TOO_LATE.has(name)) continue;
      throw usageError(`--${name} cannot be set for one agent`);
    }
    return values;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw usageError(`${where}: ${error.details.what}`, error.details.hint);
  }
}

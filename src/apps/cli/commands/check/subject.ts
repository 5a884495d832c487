import { join } from "node:path";
import {
  type AgentSubject,
  commandSubject,
  remoteSubject,
} from "../../../../conformance/check/index.ts";
import { modelRecipeFor } from "../../../../conformance/model/index.ts";
import { joinCommandLine } from "../../../../base/index.ts";
import { chooseAgent } from "../../agents/choose.ts";
import { secretHider } from "../../connect/secrets.ts";
import { usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { flagOf, type RunSettings } from "./options.ts";

/** The agent to check, and the values that no report may show. */
export interface ChosenSubject {
  readonly subject: AgentSubject;
  /** Prompts that make it act, if it is known without a file of them. */
  readonly prompts?: unknown;
  readonly secrets: readonly string[];
}

/** The agent of `-a`, of `--agent-url` or after `--`. Throws a usage error unless there is exactly one. */
export async function agentSubject(
  context: Context,
  { modelEnv, model }: Pick<RunSettings, "modelEnv" | "model">,
  rest: readonly string[],
): Promise<ChosenSubject> {
  const { values } = context;
  const given = [
    ["-a", flagOf(values, "agent")],
    ["--agent-url", flagOf(values, "agent-url")],
    ["a command", rest[0]],
  ].flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 0)
    throw usageError(
      "check needs an agent",
      "dragoman check -a NAME, or dragoman check -- COMMAND",
    );
  if (given.length > 1) throw usageError(`${given.join(" and ")} contradict each other`);
  const commandLine = rest.length === 0 ? undefined : joinCommandLine(rest);
  const { agent, mcpServers } = await chooseAgent(context, undefined, commandLine);
  const secrets = secretHider(agent, mcpServers).values;
  const { name, command, args, env, remote, entry } = agent;
  if (remote) return { subject: remoteSubject(remote.url, { headers: remote.headers }), secrets };
  const recipe =
    agent.from === "command line" || model === "none" ? undefined : modelRecipeFor(name);
  // A command can have relative paths. Agents of the catalogue would read the project in that folder.
  const cwd = entry === undefined ? context.io.cwd : undefined;
  const subject = commandSubject({ name, command, args, cwd, env, recipe, modelEnv });
  if (entry?.name !== "demo") return { subject, secrets };
  return { subject: withOwnState(subject), prompts: DEMO_PROMPTS, secrets };
}

/** The demo agent has no model, but commands. */
const DEMO_PROMPTS = {
  write: "/edit {file} {text}",
  read: "/read {file}",
  run: "/run {command}",
  ask: "/ask",
  slow: "/hang",
};

/** The demo agent saves its sessions in the state folder of the user, unless a variable names another. */
function withOwnState(subject: AgentSubject): AgentSubject {
  return {
    ...subject,
    connect: (start) => {
      const env = { DRAGOMAN_DEMO_STATE: join(start.place.home, "sessions"), ...start.env };
      return subject.connect({ ...start, env });
    },
  };
}

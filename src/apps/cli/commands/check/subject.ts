import { join, resolve } from "node:path";
import {
  type AgentSubject,
  commandSubject,
  remoteSubject,
  checkClient,
  type ClientCheckOptions,
  type ClientCommand,
} from "../../../../conformance/check/index.ts";
import { modelRecipeFor } from "../../../../conformance/model/index.ts";
import { joinCommandLine } from "../../../../base/index.ts";
import { chooseAgent } from "../../agents/choose.ts";
import { secretHider } from "../../connect/secrets.ts";
import { usageError } from "../../shell/exit.ts";
import type { Context } from "../../context/context.ts";
import { flagOf, type RunSettings, type CheckChoice } from "./options.ts";
import { statSync } from "node:fs";
import type { Io } from "../../shell/io.ts";

/** The agent to check, and the values that no report may show. */
interface ChosenSubject {
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

type ClientHooks = Pick<ClientCheckOptions, "signal" | "onResult" | "onTranscript">;

/** The check of the client after `--`. Throws a usage error if there is none. */
export function clientCheck(
  io: Io,
  { protocol, ids }: CheckChoice,
  { driver = {}, jobs, timeoutMs }: RunSettings,
  [command, ...args]: readonly string[],
): (hooks: ClientHooks) => ReturnType<typeof checkClient> {
  if (command === undefined)
    throw usageError(
      "check client needs the command of a client",
      "dragoman check client -- COMMAND {agent}",
    );
  const agentCommand = [io.self.node, ...io.self.dragoman, "check-agent"];
  const client = { ...startOf(io, command, args), driver, agentCommand };
  return (hooks) => checkClient({ client, protocol, ids, jobs, timeoutMs, ...hooks });
}

/**
 * How the client is started. A client whose arguments name its workspace starts in the user's folder. Any other one
 * starts in the workspace, so relative paths of files become absolute.
 */
function startOf(
  { cwd }: Io,
  command: string,
  args: readonly string[],
): Pick<ClientCommand, "command" | "args" | "cwd"> {
  if (args.some((arg) => arg.includes("{cwd}"))) return { command, args, cwd };
  const found = (word: string): string => {
    const path = resolve(cwd, word);
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : word;
  };
  return { command: /[/\\]/.test(command) ? found(command) : command, args: args.map(found) };
}

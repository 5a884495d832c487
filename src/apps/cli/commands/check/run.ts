import { CHECK_OPTIONS } from "./declaration.ts";
import {
  type AgentCheckOptions,
  checkAgent,
  type CheckReport,
  judge,
  reportRedactor,
  resultVerdict,
  type AgentSubject,
  commandSubject,
  remoteSubject,
  checkClient,
  type ClientCheckOptions,
  type ClientCommand,
} from "../../../../conformance/check/index.ts";
import type { CheckedSide } from "../../../../conformance/index.ts";
import type { Values } from "../../shell/parse.ts";
import { type ExitCode, usageError } from "../../shell/exit.ts";
import { type Context, interruptible, stdoutView } from "../../context/context.ts";
import { openBaseline, CaseRecordings, reportFiles } from "./files.ts";
import { conclude } from "./report.ts";
import {
  checkChoice,
  type CheckChoice,
  type RunSettings,
  runSettings,
  repeatCommandLine,
} from "./options.ts";
import { Progress } from "./terminal.ts";
import { checkRecordings } from "./recordings.ts";
import { join, resolve } from "node:path";
import { modelRecipeFor } from "../../../../conformance/scripted-model/index.ts";
import { joinCommandLine } from "../../../../base/index.ts";
import { secretHider } from "../../connect/secrets.ts";
import { statSync } from "node:fs";
import type { Io } from "../../shell/io.ts";
import { chooseAgent } from "../../agents/select.ts";
import { givenOption } from "../../shell/option-values.ts";

export async function runCheck(
  context: Context,
  side: CheckedSide,
  rest: readonly string[],
): Promise<ExitCode> {
  const { io, screen } = context;
  const values = context.values.with(CHECK_OPTIONS);
  const choice = checkChoice(values, side);
  const settings = await runSettings(values, io, side);
  const baseline = await openBaseline(values, io, choice);
  const files = await reportFiles(values, io);
  const { secrets, check } = await openCheck(context, choice, settings, rest);
  const recordings = await CaseRecordings.open(values.text("record-dir"), io, side);
  const redactor = reportRedactor(secrets);
  const progress = new Progress(screen, {
    requirements: shownRequirements(choice, values.text("recordings") !== undefined),
    shown: resultVerdict({ level: choice.level, baseline: baseline.baseline }),
    view: stdoutView(context),
  });
  const found = await interruptible(context, (signal) =>
    check({
      signal,
      // An interrupted run has no report, and everything that it did not reach would only say so.
      onResult: (result) => {
        if (!signal.aborted) progress.add(redactor.result(result));
      },
      onTranscript: (transcript) => recordings?.add(transcript, secrets),
    }),
  ).finally(() => screen.status(undefined));
  const report = redactor.report({ ...found, repeat: repeatCommandLine(values, side, rest) });
  // The closing lines give the reason once; the requirements would only repeat it.
  if (report.summary.ended !== "cannot start") progress.finish(report.results);
  await recordings?.end();
  const accepted = await baseline.update(report);
  return conclude(context, [{ report, verdict: judge(report, choice.level, accepted) }], files);
}

/** Recordings can only show rules about all traffic, so the others are not printed one by one. */
function shownRequirements({ requirements, ids }: CheckChoice, areRecorded: boolean) {
  return requirements.filter(
    ({ id, provoked }) => ids.has(id) && (!areRecorded || provoked === "passive"),
  );
}

interface OpenCheck {
  /** The values that no report may show. */
  readonly secrets: readonly string[];
  readonly check: (hooks: CheckHooks) => Promise<CheckReport>;
}

type CheckHooks = Required<Pick<AgentCheckOptions, "signal" | "onResult" | "onTranscript">> & {
  readonly signal: AbortSignal;
};

async function openCheck(
  context: Context,
  choice: CheckChoice,
  settings: RunSettings,
  rest: readonly string[],
): Promise<OpenCheck> {
  const { side, protocol, ids } = choice;
  const folder = context.values.with(CHECK_OPTIONS).text("recordings");
  if (folder !== undefined) {
    expectNoSubject(context.values, rest);
    const check = ({ signal }: CheckHooks) => checkRecordings(context, folder, choice, signal);
    return { secrets: [], check };
  }
  if (side === "client")
    return { secrets: [], check: clientCheck(context.io, choice, settings, rest) };
  const { subject, secrets, ...known } = await agentSubject(context, settings, rest);
  const { model, prompts = known.prompts, authMethod, jobs, timeoutMs } = settings;
  const optIn = new Set(
    choice.requirements.flatMap((one) => (choice.named.has(one.id) ? (one.optIn ?? []) : [])),
  );
  const options = { subject, protocol, ids, model, prompts, authMethod, optIn, jobs, timeoutMs };
  return { secrets, check: (hooks) => checkAgent({ ...options, ...hooks }) };
}

function expectNoSubject(values: Values, rest: readonly string[]): void {
  const names = (["agent", "agent-url"] as const).filter((name) => values.names().includes(name));
  if (rest.length > 0 || names.length > 0)
    throw usageError("--recordings starts nothing, so it takes no agent and no command");
}

interface ChosenSubject {
  readonly subject: AgentSubject;
  /** Prompts that make it act, if it is known without a file of them. */
  readonly prompts?: unknown;
  readonly secrets: readonly string[];
}

/** The agent of `-a`, of `--agent-url` or after `--`. Throws a usage error unless there is exactly one. */
async function agentSubject(
  context: Context,
  { modelEnv, model }: Pick<RunSettings, "modelEnv" | "model">,
  rest: readonly string[],
): Promise<ChosenSubject> {
  const { values } = context;
  const given = [
    ["-a", givenOption(values, "agent")],
    ["--agent-url", givenOption(values, "agent-url")],
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
function clientCheck(
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

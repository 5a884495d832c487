import { joinCommandLine } from "../../../../base/index.ts";
import type { ParsedCommandLine } from "../../shell/parse.ts";
import { type ExitCode, usageError, CliError, EXIT } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { runForPeople, type Context } from "../../context/context.ts";
import { resolve } from "node:path";
import { type SelectedAgent, chooseAgent, type Chosen } from "../../agents/select.ts";
import { examineAgent, Report } from "../../doctor/examine.ts";
import { runCommand } from "../../connect/run-command.ts";
import {
  proxy,
  type ProxyEnd,
  type HubAgent,
  type AuditEntry,
  type AuditLog,
  hubPolicy,
  type HubOptions,
  type SessionPolicy,
} from "../../../../host/hub/index.ts";
import { stdioChannel } from "../../../../transport/wire/index.ts";
import { timeOption } from "../../shell/option-values.ts";
import { phaseFailure, openAgent } from "../../connect/connect.ts";
import { StrayOutput } from "../../connect/stray-output.ts";
import { secretHider } from "../../connect/secrets.ts";
import { openInspection } from "../../inspect/inspection.ts";
import { hubEventNote } from "../../render/text/hub-events.ts";
import { openRunRecording, proxyRecording } from "../../connect/proxy-recording.ts";
import { type PacedOutput, withBackpressure } from "../../shell/backpressure.ts";
import { rulesFileOf } from "../../permissions/policy.ts";
import { withoutDoctorHint } from "../../agents/hints.ts";
import { openAuditFile } from "../../serve/audit.ts";

/** `dragoman proxy`: speaks ACP on stdin and stdout in place of an agent, until the editor closes stdin. */
export async function run(parsed: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const commandLine = commandLineOf(parsed);
  if (parsed.values.flag("doctor")) {
    return proxyDoctor(parsed, io, commandLine);
  }
  // The terminal belongs to the editor, which may run in it, so no question is asked there.
  const quiet = { ...io, openTerminal: () => undefined };
  return runForPeople(quiet, parsed.values, async (context) => {
    try {
      return await runProxy(context, commandLine);
    } finally {
      await context.inspector?.close();
    }
  });
}

/** The agent's command after `--`, if there is one. Throws a usage error unless there is one agent. */
function commandLineOf({ values, words }: ParsedCommandLine): string | undefined {
  const named = (["agent", "agent-command", "agent-url"] as const).find(
    (name) => values.text(name) !== undefined,
  );
  if (words.length === 0) {
    if (named !== undefined) return undefined;
    throw usageError(
      "proxy needs an agent",
      "dragoman proxy -a NAME, or dragoman proxy -- COMMAND",
    );
  }
  if (named !== undefined) throw usageError(`--${named} and a command contradict each other`);
  return joinCommandLine(words);
}

/** `dragoman proxy --doctor`: checks the agent, then opens a session through this proxy as an editor would. */
export function proxyDoctor(
  parsed: ParsedCommandLine,
  io: Io,
  commandLine: string | undefined,
): Promise<ExitCode> {
  return runCommand(io, parsed.values, {
    run: async (context, connect) => {
      const report = new Report(context);
      const chosen = await chooseAgent(context, undefined, commandLine);
      const { node, dragoman } = io.self;
      const agent: SelectedAgent = {
        ...chosen.agent,
        command: node,
        args: [...dragoman, ...proxyArguments(parsed, io.cwd)],
        protocol: undefined,
        remote: undefined,
      };
      try {
        await examineAgent(context, report, chosen, { ...chosen, agent }, connect);
      } catch (error) {
        throw withoutDoctorHint(error, agent);
      }
      report.conclude(`${agent.name} works through the proxy`);
    },
  });
}

/** Options that only the check itself uses. The proxy is started in the folder of `--cwd`. */
const OWN: ReadonlySet<string> = new Set(["doctor", "color", "cwd", "trust-project"]);

/** The arguments of the same proxy, from any folder. Pure. */
export function proxyArguments(
  { values, words }: Pick<ParsedCommandLine, "values" | "words">,
  cwd: string,
): readonly string[] {
  const options = values.given().flatMap(([name, value]) => {
    if (OWN.has(name)) return [];
    if (value === undefined) return [`--${name}`];
    const isPath = isPlace(values.grammar.option(name)?.value);
    return [`--${name}=${isPath && !value.startsWith("~/") ? resolve(cwd, value) : value}`];
  });
  return ["proxy", ...options, ...(words.length === 0 ? [] : ["--", ...words])];
}

function isPlace(value: string | undefined): boolean {
  return value === "FILE" || value === "DIR";
}

/** Runs the proxy until the editor leaves. Throws a CliError if the agent cannot be started or kept running. */
export async function runProxy(
  context: Context,
  commandLine: string | undefined,
): Promise<ExitCode> {
  const { io, values, interrupts, renderer } = context;
  const turnIdleMs = timeOption(values, "idle-timeout");
  const idleMs = timeOption(values, "agent-idle");
  const chosen = await chooseAgent(context, undefined, commandLine);
  const secrets = secretHider(chosen.agent, chosen.mcpServers);
  const { agent } = chosen;
  await openInspection(context, agent.name);
  const file = await openRunRecording(values.text("record-dir"), io);
  const files = [file, context.inspector?.file(agent.name)].filter((one) => one !== undefined);
  const recording =
    files.length === 0 ? undefined : proxyRecording(files, { agent, cwd: context.cwd, secrets });
  const rules = await proxyRules(context, agent, recording).catch(async (error: unknown) => {
    await recording?.end();
    throw error;
  });
  const stray = new StrayOutput(context, secrets, true);
  const stdio = stdioChannel();
  const running = proxy({
    ...rules.options,
    agent: proxiedAgent(context, chosen.agent, {
      stderr: (text) => {
        stray.stderr(text);
        recording?.stderr(text);
      },
      paced: recording === undefined ? [] : [recording],
    }),
    protocol: chosen.agent.protocol,
    channel: recording === undefined ? stdio : recording.tapped(stdio),
    limits: { turnIdleMs, idleMs, restWithClients: idleMs !== undefined },
    onEvent: (event) => {
      recording?.event(event);
      const note = hubEventNote(event, "user");
      if (note !== undefined) renderer.note(secrets.hideAll(note));
    },
  });
  const stop = interrupts.listen({ first: () => void running.close() });
  const end = await running.ended;
  stop();
  stray.end();
  await Promise.all([recording?.end(), rules.close()]);
  const interrupted = interrupts.error();
  if (interrupted !== undefined) throw interrupted;
  return exitCode(context, chosen, end);
}

async function exitCode(
  context: Context,
  { agent, mcpServers }: Chosen,
  end: ProxyEnd,
): Promise<ExitCode> {
  if (end.kind === "closed") return EXIT.done;
  const parts = { agent, secrets: secretHider(agent, mcpServers) };
  const { details } = await phaseFailure(context, parts, "start", end.error);
  if (end.kind === "cannot_start") throw new CliError("cannotStart", details);
  const what = `${agent.name} failed too often and is not started again: ${details.what}`;
  throw new CliError("died", { ...details, what });
}

/**
 * The chosen agent, as a hub starts it: in the workspace, with the environment of this process. It waits while
 * one of the paced outputs is overloaded.
 */
export function proxiedAgent(
  context: Context,
  agent: SelectedAgent,
  outputs: { readonly stderr: (text: string) => void; readonly paced: readonly PacedOutput[] },
): HubAgent {
  const { command, args } = agent;
  return {
    name: agent.name,
    key: JSON.stringify([command, ...args]),
    open: async () => {
      const channel = await openAgent(context, agent, outputs);
      return outputs.paced.length === 0 ? channel : withBackpressure(channel, outputs.paced);
    },
  };
}

interface ProxyRules {
  readonly options: Pick<HubOptions, "policy" | "onUnjudged" | "capabilities" | "checkOpen">;
  close(): Promise<void>;
}

/** The rules of the flags. If there is an audit log, the recording gets every decision too. */
export async function proxyRules(
  context: Context,
  agent: SelectedAgent,
  recording?: { decision(entry: AuditEntry): void },
): Promise<ProxyRules> {
  const { values } = context;
  const rules = await rulesFileOf(context);
  const audit = await auditOf(context);
  const record = (entry: AuditEntry): Promise<void> => {
    recording?.decision(entry);
    return audit?.record(entry) ?? Promise.resolve();
  };
  const decisions = audit && { record };
  const policies = hubPolicy({ rules, audit: decisions, files: "client" });
  const { policy, capabilities, onUnjudged } = policies;
  const isApart = agent.remote !== undefined && !values.flag("remote-files");
  const cwd = agent.remote && values.text("cwd");
  return {
    options: {
      policy: isApart ? (session) => refusingFiles(policy?.(session)) : policy,
      onUnjudged,
      capabilities: isApart ? withoutFiles : capabilities,
      // The editor's folder means nothing on a server.
      checkOpen: cwd === undefined ? undefined : ({ params }) => ({ ...params, cwd }),
    },
    close: async () => audit?.close(),
  };
}

/** The file of `--audit-log`. Rules are logged even without the option. */
async function auditOf(context: Context): Promise<AuditLog | undefined> {
  const { values, renderer } = context;
  const isWanted = (["audit-log", "permissions"] as const).some(
    (name) => values.text(name) !== undefined,
  );
  return isWanted ? openAuditFile(context, (text) => renderer.note(text)) : undefined;
}

function withoutFiles(capabilities: object): { readonly [key: string]: unknown } {
  const fs = { readTextFile: false, writeTextFile: false };
  return { ...capabilities, fs, terminal: false };
}

const METHOD_NOT_FOUND = -32601;

/** Refuses files and terminals of this machine to an agent on a server, which asks although it must not. */
function refusingFiles(policy: SessionPolicy | undefined): SessionPolicy {
  return {
    update: (...args) => policy?.update?.(...args),
    request: (request) => {
      const { method } = request;
      if (!/^(?:fs|terminal)\//.test(method))
        return policy?.request(request) ?? { kind: "forward" };
      const message = `${method} is not offered to an agent on a server`;
      return { kind: "error", code: METHOD_NOT_FOUND, message };
    },
    answered: (...args) => policy?.answered?.(...args),
    agentEnded: () => policy?.agentEnded?.(),
    close: async () => policy?.close(),
  };
}

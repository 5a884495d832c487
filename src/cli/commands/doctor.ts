import { installHint } from "../agents/catalogue.ts";
import { findCommand } from "../agents/find.ts";
import { byHandLine, doctorLine } from "../agents/hints.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { examineDroid } from "../doctor/droid.ts";
import { probeSession } from "../doctor/probe.ts";
import { Report } from "../doctor/report.ts";
import { CliError, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { chooseAgent, type Chosen } from "../agents/choose.ts";
import { runCommand, type Connect } from "../run/command.ts";
import { secretHider } from "../connect/secrets.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../run/context.ts";
import { READ_ONLY } from "../permissions/from-flags.ts";

/**
 * `dragoman doctor [agent]`: checks an agent. Exits with 0 only if a prompt would work; with `--prompt`,
 * only if one did.
 */
export function doctorCommand({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  if (words.length > 1) throw usageError("doctor takes one agent");
  return runCommand(io, values, {
    run: async (context, connect) => {
      const report = new Report(context);
      const chosen = await chooseAgent(context, words[0]);
      const { agent } = chosen;
      try {
        if (agent.from === "catalogue" && agent.name === "droid") {
          await examineDroid(context, report, agent);
          // That check does not speak the protocol.
          if (values.flag("prompt")) await converse(report, context, chosen, connect);
          else if (context.protocol !== undefined) await shakeHands(report, chosen, connect);
        } else {
          await examineAgent(context, report, chosen, chosen, connect);
        }
      } catch (error) {
        throw withoutDoctorHint(error, agent);
      }
      report.conclude(
        values.flag("prompt") ? `${agent.name} answered a prompt` : `${agent.name} works`,
      );
    },
  });
}

/**
 * Checks the command of an agent, then starts it, or another command in its place, and opens a session.
 * Throws a CliError for the first check that fails.
 */
export async function examineAgent(
  context: Context,
  report: Report,
  { agent }: Chosen,
  started: Chosen,
  connect: Connect,
): Promise<void> {
  await checkCommand(report, agent, context.io);
  await converse(report, context, started, connect);
}

async function converse(
  report: Report,
  context: Context,
  chosen: Chosen,
  connect: Connect,
): Promise<void> {
  const connected = await shakeHands(report, chosen, connect);
  await probeSession(report, context, connected);
}

function shakeHands(report: Report, chosen: Chosen, connect: Connect): Promise<RunningAgent> {
  return report.run("handshake", async () => {
    const value = await connect(chosen, READ_ONLY);
    const { title, version, protocolVersion } = value.facts;
    const name = [title ?? "unnamed", version].filter(Boolean).join(" ");
    return { value, detail: `${name}, protocol ${protocolVersion}` };
  });
}

/** Replaces the hint to run the doctor, because the doctor is already running. */
export function withoutDoctorHint(error: unknown, agent: SelectedAgent): unknown {
  if (!(error instanceof CliError) || error.details.hint !== doctorLine(agent)) return error;
  const details = { ...error.details, hint: byHandLine(agent) };
  return new CliError(error.exit, details, { cause: error });
}

/** Programs that run other programs. Their version is not the agent's. */
const RUNNERS =
  /(?:^|[/\\])(?:node|nodejs|npx|npm|pnpm|yarn|bun|bunx|deno|python[\d.]*|uv|uvx|pipx|ruby|sh|bash|zsh|env|docker)(?:\.exe|\.cmd)?$/i;

async function checkCommand(report: Report, agent: SelectedAgent, io: Io): Promise<void> {
  const { command, name, entry } = agent;
  // The embedded agent and the program that runs it are part of this package.
  if (entry !== undefined && typeof entry.command !== "string") return;
  if (agent.remote) return;
  const path = await report.run("command", async () => {
    const found = await findCommand(command, io);
    if (found !== undefined) return { value: found, detail: found };
    const hint = entry === undefined ? "dragoman agents" : installHint(entry);
    const what = `${name} is not installed: "${command}" was not found`;
    throw new CliError("cannotStart", { what, hint });
  });
  await report.run("version", async () => {
    const { versionOf } = await import("../connect/version.ts");
    const printed = await versionOf(path, { cwd: io.cwd, env: { ...io.env, ...agent.env } });
    const version = printed && secretHider(agent, []).hideAll(printed);
    const runner = RUNNERS.test(path)
      ? " (its runtime; the handshake shows the agent's own version)"
      : "";
    return {
      value: undefined,
      detail: version === undefined ? "unknown" : version + runner,
    };
  });
}

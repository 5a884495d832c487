import { findCommand } from "../agents/find.ts";
import { byHandLine, doctorLine } from "../agents/hints.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { ParsedCommandLine } from "../args/parse.ts";
import { examineDroid } from "../doctor/droid.ts";
import { Report } from "../doctor/report.ts";
import { CliError, usageError, type ExitCode } from "../exit.ts";
import type { Io } from "../io.ts";
import { versionOf } from "../connect/child.ts";
import { chooseAgent, type Chosen } from "../agents/choose.ts";
import { runCommand, type Connect } from "../run/command.ts";
import { during } from "../connect/connect.ts";
import type { RunningAgent } from "../connect/running-agent.ts";
import type { Context } from "../run/context.ts";
import { READ_ONLY } from "../permissions/from-flags.ts";
import { setModel } from "../session/session.ts";

/** `dragoman doctor [agent]`: 0 only if a prompt could work. */
export function doctorCommand({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  if (words.length > 1) throw usageError("doctor takes one agent");
  return runCommand(io, values, {
    run: async (context, connect) => {
      const report = new Report(context);
      const chosen = await chooseAgent(context, words[0] ?? values.text("agent"));
      const { agent } = chosen;
      try {
        if (agent.from === "catalogue" && agent.name === "droid") {
          await examineDroid(context, report, agent);
        } else {
          await examine(context, report, chosen, connect);
        }
      } catch (error) {
        throw pastTheDoctor(error, agent);
      }
      report.conclude(`${agent.name} works`);
    },
  });
}

async function examine(
  context: Context,
  report: Report,
  chosen: Chosen,
  connect: Connect,
): Promise<void> {
  await lookForCommand(report, chosen.agent, context.io);
  const connected = await report.run("handshake", async () => {
    const value = await connect(chosen, READ_ONLY);
    const { title, version, protocolVersion } = value.facts;
    const name = [title ?? "unnamed", version].filter(Boolean).join(" ");
    return { value, detail: `${name}, protocol ${protocolVersion}` };
  });
  await openSession(report, context, connected);
}

/** Whoever is with the doctor needs another hint than to go there. */
function pastTheDoctor(error: unknown, agent: SelectedAgent): unknown {
  if (!(error instanceof CliError) || error.details.hint !== doctorLine(agent)) return error;
  const details = { ...error.details, hint: byHandLine(agent) };
  return new CliError(error.exit, details, { cause: error });
}

async function openSession(
  report: Report,
  context: Context,
  connected: RunningAgent,
): Promise<void> {
  const { client } = connected;
  const model = context.values.text("model");
  await report.run("session", async () => {
    await during(context, connected, "session", async (signal) => {
      const session = await client.newSession({ cwd: context.cwd, signal });
      if (model !== undefined) await setModel(session, model);
    });
    const methods = client.agent.authMethods.map(({ id }) => id).join(", ");
    const offered = methods === "" ? "" : ` (logins it offers: ${methods})`;
    return { value: undefined, detail: `opened, and no login asked for${offered}` };
  });
}

/** Programs that run others: their version says nothing of the agent. */
const RUNNERS =
  /(?:^|[/\\])(?:node|nodejs|npx|npm|pnpm|yarn|bun|bunx|deno|python[\d.]*|uv|uvx|pipx|ruby|sh|bash|zsh|env|docker)(?:\.exe|\.cmd)?$/i;

async function lookForCommand(report: Report, agent: SelectedAgent, io: Io): Promise<void> {
  const { command, name, entry } = agent;
  // Our own agent is part of this package, and so is what it is started with.
  if (entry !== undefined && typeof entry.command !== "string") return;
  const path = await report.run("command", async () => {
    const found = await findCommand(command, io);
    if (found !== undefined) return { value: found, detail: found };
    const hint = entry?.install ?? "dragoman agents";
    const what = `${name} is not installed: there is no "${command}"`;
    throw new CliError("cannotStart", { what, hint });
  });
  await report.run("version", async () => {
    const version = await versionOf(path, { ...io.env, ...agent.env });
    const whose = RUNNERS.test(path) ? `, of what runs it; the handshake tells its own` : "";
    return {
      value: undefined,
      detail: version === undefined ? "it does not tell" : version + whose,
    };
  });
}

import type { SelectedAgent } from "./select.ts";
import { joinCommandLine, quoted } from "../../../base/index.ts";
import { CliError } from "../shell/exit.ts";

type Named = Pick<SelectedAgent, "name" | "command" | "args" | "from" | "protocol" | "remote">;

export function doctorHint(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : agent.name;
  return `dragoman doctor ${named}${protocolFlag(agent)}`;
}

export function sessionsHint(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : `-a ${agent.name}`;
  return `dragoman sessions list ${named}${protocolFlag(agent)}`;
}

/** For failures that the doctor itself reports: how to see the agent's output without a client. */
export function manualRunHint({ command, args, remote }: Named): string {
  if (remote) return `the server's own log, and whether ${command} can be reached`;
  return `${joinCommandLine([command, ...args])} in a terminal, to see its own output`;
}

function commandFlag({ command, args, remote }: Named): string {
  if (remote) return `--agent-url ${quoted(command)}`;
  return `--agent-command ${quoted(joinCommandLine([command, ...args]))}`;
}

function protocolFlag({ protocol }: Named): string {
  return protocol === undefined ? "" : ` --protocol ${protocol}`;
}

/** Replaces the hint to run the doctor, because the doctor is already running. */
export function withoutDoctorHint(error: unknown, agent: SelectedAgent): unknown {
  if (!(error instanceof CliError) || error.details.hint !== doctorHint(agent)) return error;
  const details = { ...error.details, hint: manualRunHint(agent) };
  return new CliError(error.exit, details, { cause: error });
}

import { joinCommandLine, quoted } from "../../../base/index.ts";
import type { SelectedAgent } from "./select.ts";

type Named = Pick<SelectedAgent, "name" | "command" | "args" | "from" | "protocol" | "remote">;

/** The command that diagnoses this agent. */
export function doctorLine(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : agent.name;
  return `dragoman doctor ${named}${protocolFlag(agent)}`;
}

/** The command that lists this agent's sessions. */
export function sessionsLine(agent: Named): string {
  const named = agent.from === "command line" ? commandFlag(agent) : `-a ${agent.name}`;
  return `dragoman sessions list ${named}${protocolFlag(agent)}`;
}

/** For failures that the doctor itself reports: how to see the agent's output without a client. */
export function byHandLine({ command, args, remote }: Named): string {
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

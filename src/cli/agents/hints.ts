import { joinCommandLine, quoted } from "./command-line.ts";
import type { SelectedAgent } from "./select.ts";

type Named = Pick<SelectedAgent, "name" | "command" | "args" | "from">;

/** The command that diagnoses this agent. */
export function doctorLine(agent: Named): string {
  return agent.from === "command line"
    ? `dragoman doctor ${flag(agent)}`
    : `dragoman doctor ${agent.name}`;
}

/** The command that lists this agent's sessions. */
export function sessionsLine(agent: Named): string {
  return `dragoman sessions list ${flag(agent)}`;
}

/** For failures that the doctor itself reports: how to see the agent's output without a client. */
export function byHandLine({ command, args }: Named): string {
  return `${joinCommandLine([command, ...args])} in a terminal, to see its own output`;
}

function flag({ name, from, command, args }: Named): string {
  if (from !== "command line") return `-a ${name}`;
  return `--agent-command ${quoted(joinCommandLine([command, ...args]))}`;
}

import type { Agent } from "./select.ts";

type Named = Pick<Agent, "name" | "command" | "args" | "from">;

/** The command that finds out what is wrong with this agent. */
export function doctorLine(agent: Named): string {
  return agent.from === "command line"
    ? `dragoman doctor ${flag(agent)}`
    : `dragoman doctor ${agent.name}`;
}

/** The command that lists this agent's sessions. */
export function sessionsLine(agent: Named): string {
  return `dragoman sessions list ${flag(agent)}`;
}

function flag({ name, from, command, args }: Named): string {
  if (from !== "command line") return `-a ${name}`;
  return `--agent-command '${[command, ...args].join(" ")}'`;
}

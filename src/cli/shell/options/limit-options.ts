import { CONNECT, RUN, type OptionSpec } from "./commands.ts";

/** The options of the group "Limits". */
export const LIMIT_OPTIONS = [
  {
    name: "timeout",
    value: "TIME",
    group: "Limits",
    on: [...RUN, "doctor", "hub", "check", "jobs"],
    help: "time limit for a turn and for each wait before it, such as 90s or 5m (check: for the run)",
  },
  {
    name: "idle-timeout",
    value: "TIME",
    group: "Limits",
    on: [...RUN, "proxy"],
    help: "time limit for silence within a turn",
  },
  {
    name: "start-timeout",
    value: "TIME",
    group: "Limits",
    on: [...CONNECT, "compare", "attach"],
    help: "time limit for the agent to start (default: 60s, or --timeout if shorter)",
  },
  {
    name: "fail-on",
    value: "REASONS",
    group: "Limits",
    on: ["prompt"],
    help: "exit with code 10 for these stop reasons: refusal,max_tokens,... or any",
  },
  {
    name: "max-cost",
    value: "AMOUNT",
    group: "Limits",
    on: [...RUN, "jobs"],
    help: "cancel the turn and exit with code 12 if it costs more, in the agent's currency",
  },
  {
    name: "max-tokens",
    value: "N",
    group: "Limits",
    on: [...RUN, "jobs"],
    help: "the same if it uses more tokens",
  },
  {
    name: "max-tool-calls",
    value: "N",
    group: "Limits",
    on: [...RUN, "jobs"],
    help: "the same if it makes more tool calls",
  },
] as const satisfies readonly OptionSpec[];

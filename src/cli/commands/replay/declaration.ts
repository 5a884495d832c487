import type { OptionSpec } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const REPLAY_OPTIONS = [
  {
    name: "step-timeout",
    value: "TIME",
    group: "Replay",
    help: "time limit for each message expected from the client (default: 30s)",
  },
  {
    name: "realtime",
    group: "Replay",
    help: "keep the pauses in the recording",
  },
] as const satisfies readonly OptionSpec[];

export const replay: CommandSpec = {
  name: "replay",
  usage: "replay FILE",
  help: "act as an agent that plays back a recording",
  details: [
    "Plays the agent's part of a recording made with --record:",
    '  dragoman --agent-command "dragoman replay bug.jsonl" "the original prompt"',
    "",
  ],
  takes: [],
  own: REPLAY_OPTIONS,
  next: "files",
};

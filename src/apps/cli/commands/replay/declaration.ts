import type { OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const REPLAY_OPTIONS = {
  Replay: {
    "--step-timeout TIME": "time limit for each message expected from the client (default: 30s)",
    "--realtime": "keep the pauses in the recording",
  },
} as const satisfies OptionTable;

export const replay: CommandSpec = {
  name: "replay",
  usage: "replay FILE",
  help: "act as an agent that plays back a recording",
  details: [
    "Plays the agent's part of a recording made with --record:",
    '  dragoman --agent-command "dragoman replay bug.jsonl" "the original prompt"',
  ],
  takes: [],
  own: REPLAY_OPTIONS,
  next: "files",
};

import { NATS, PAGE } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const inspect: CommandSpec = {
  name: "inspect",
  usage: "inspect FILE [FILE2] | (-a NAME | -- CMD)",
  help: "show what an agent and its client say, from a recording, a fleet or live",
  details: [
    "Opens recordings (--record, --record-dir) and captures of other programs, one or two to",
    "compare. In place of an agent in an editor's configuration, it shows what both say, live.",
    "With --nats, it shows sessions of a fleet, straight from their logs, as they grow:",
    "  dragoman inspect bug.jsonl",
    "  dragoman inspect bug.jsonl --export bug.html",
    "  dragoman inspect -- my-agent --acp",
    "  dragoman inspect --nats nats://127.0.0.1:4222 SESSION",
    "The page is only for this machine, and needs the token in its address. docs/inspect.md",
    "describes its views.",
  ],
  takes: ["agent", "settings", "trust-project", "cwd", "export", "findings", ...PAGE, ...NATS],
  next: "files",
};

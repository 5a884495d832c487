import { AGENT, PAGE } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const proxy: CommandSpec = {
  name: "proxy",
  usage: "proxy (-a NAME | -- CMD)",
  help: "stand between an editor and its agent: restarts, rules, recordings",
  details: [
    "Put it into an editor's configuration in place of the agent. It speaks ACP on stdin and",
    "stdout; everything else goes to stderr. docs/hub.md has snippets for editors:",
    "  dragoman proxy -a gemini --permissions rules.json",
    "  dragoman proxy --record-dir ~/acp -- my-agent --acp",
  ],
  takes: [
    ...AGENT,
    "remote-files",
    "permissions",
    "audit-log",
    "record-dir",
    "doctor",
    "inspect",
    ...PAGE,
    "idle-timeout",
    "agent-idle",
  ],
};

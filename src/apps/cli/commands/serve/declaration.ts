import { PAGE, SERVER } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const serve: CommandSpec = {
  name: "serve",
  usage: "serve (-a NAME | -- CMD)",
  help: "let clients on other machines use an agent of this one",
  details: [
    "Serves ACP over WebSocket and streamable HTTP on /acp, for clients with a token:",
    "  dragoman serve -a claude --root repo=/srv/repo",
    "  dragoman --agent-url ws://127.0.0.1:8790/acp --token-file FILE -C repo PROMPT",
    "With several agents (-a NAME -a NAME), each has the path /acp/NAME. SIGTERM or Ctrl-C",
    "lets running turns finish; a second one ends them. docs/hub.md has the details.",
  ],
  takes: [
    ...SERVER,
    "agent",
    "trust-project",
    "cwd",
    "permissions",
    "inspect",
    ...PAGE,
    "root",
    "files",
    "grace",
    "agent-idle",
    "session-idle",
  ],
};

import { NATS, SERVER } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const gateway: CommandSpec = {
  name: "gateway",
  usage: "gateway --nats URL",
  help: "let clients use the agents of a fleet",
  details: [
    "Serves ACP as `dragoman serve` does, for the agents of all workers of a pool:",
    "  dragoman gateway --nats nats://127.0.0.1:4222 --tokens tokens.json",
    "  dragoman --agent-url ws://127.0.0.1:8790/acp/claude --token-file FILE -C repo PROMPT",
    "Every gateway serves every session. `tenant` in the tokens file groups tokens.",
  ],
  takes: [...SERVER, "agent", ...NATS, "pool"],
};

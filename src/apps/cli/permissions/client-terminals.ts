import type { AgentTerminalChange } from "../../../protocol/acp/index.ts";
import type { TerminalEvent } from "../../../client/index.ts";
import { showCommand } from "../../../client/rules/index.ts";
import type { Context } from "../context/context.ts";

/** Shows the terminals that this side runs for the agent, in the same way as those of an agent of v2. */
export function clientTerminals({ renderer }: Pick<Context, "renderer">) {
  const encoder = new TextEncoder();
  return (event: TerminalEvent): void => {
    const { terminalId } = event;
    switch (event.type) {
      case "created": {
        const { command, args, cwd } = event;
        const line = showCommand(args.length === 0 ? command : [command, ...args]);
        return renderer.clientTerminal?.({ ...NO_CHANGE, terminalId, command: line, cwd });
      }
      case "output":
        return renderer.clientTerminal?.({
          type: "terminal_output_chunk",
          text: "",
          raw: {},
          terminalId,
          bytes: encoder.encode(event.text),
        });
      case "exited": {
        const exit = { code: event.exitCode ?? undefined, signal: event.signal ?? undefined };
        return renderer.clientTerminal?.({ ...NO_CHANGE, terminalId, exit });
      }
      case "released":
    }
  };
}

const NO_CHANGE: Omit<AgentTerminalChange, "terminalId"> = {
  type: "terminal_update",
  text: "",
  raw: {},
  command: undefined,
  cwd: undefined,
  output: undefined,
  exit: undefined,
  size: undefined,
  canCancel: undefined,
};

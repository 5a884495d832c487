import { type GateOptions, localTerminals, type TerminalEvent } from "../../../client/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPolicy } from "./policy.ts";
import type { Context } from "../context/context.ts";
import type { AgentTerminalChange } from "../../../protocol/acp/index.ts";
import { showCommand } from "../../../client/rules/index.ts";
import type { PermissionPrompter } from "./prompter.ts";

/**
 * The capabilities that the client offers to the agent. Writing and terminals are offered only if a flag, a rule or
 * the user could allow them.
 */
export function gateOptions(
  context: Context,
  agent: SelectedAgent,
  policy: PermissionPolicy,
  prompter: PermissionPrompter,
): GateOptions {
  const { values, asker, io, clock } = context;
  const { grants, rules, canAsk } = policy;
  const mayAllow = canAsk || rules.length > 0 || grants.yolo;
  // An agent on a server works on the files of the server.
  const offers = agent.remote === undefined || values.flag("remote-files");
  const fs = offers && !values.flag("no-fs");
  const commands = offers && !values.flag("no-terminal") && (mayAllow || grants.exec);
  return {
    permissions: prompter.answer,
    capabilities: {
      fs: { readTextFile: fs, writeTextFile: fs && (mayAllow || grants.write) },
      // Dragoman shows these.
      session: { notices: {}, compaction: {} },
    },
    fs: { missingFile: agent.switches.missingFilesReadEmpty === true ? "empty" : "error" },
    allowReadOutsideWorkspace: grants.yolo,
    ...(commands
      ? { terminal: localTerminals({ env: io.env }), onTerminal: clientTerminals(context) }
      : {}),
    ...(asker === undefined
      ? {}
      : {
          elicitation: {
            form: async (request) => {
              const { fillForm } = await elicitation();
              return clock.asking(() => fillForm(asker, request, agent.name));
            },
            url: async (request) => {
              const { askUrl } = await elicitation();
              return clock.asking(() => askUrl(asker, request, agent.name));
            },
          },
        }),
  };
}

const elicitation = () => import("../tty/elicitation.ts");

/** Shows the terminals that this side runs for the agent, in the same way as those of an agent of v2. */
function clientTerminals({ renderer }: Pick<Context, "renderer">) {
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

import { type GateOptions, localTerminals } from "../../../client/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPrompter } from "./prompter.ts";
import type { PermissionPolicy } from "./policy.ts";
import type { Context } from "../context/context.ts";
import { clientTerminals } from "./client-terminals.ts";

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

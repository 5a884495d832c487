import type { AgentCase } from "../case.ts";
import { cancelCases } from "./cases/cancel.ts";
import { closeCases } from "./cases/close.ts";
import { contentCases } from "./cases/content.ts";
import { endCases } from "./cases/end.ts";
import { fileCases } from "./cases/files.ts";
import { historyCases } from "./cases/history.ts";
import { idleCancel } from "./cases/idle-cancel.ts";
import { mcpCases } from "./cases/mcp.ts";
import { permissionCases } from "./cases/permission.ts";
import { promptCases } from "./cases/prompt.ts";
import { questionCases } from "./cases/questions.ts";
import { requestCases } from "./cases/requests.ts";
import { sessionCases } from "./cases/sessions.ts";
import { terminalCases } from "./cases/terminals.ts";
import { toolCases } from "./cases/tools.ts";
import { MissingPrompt } from "./stage.ts";

/** The cases about turns: they need the scripted model, prompts of the user, or a running turn. */
export const turnCases: readonly AgentCase[] = [
  ...promptCases,
  ...contentCases,
  ...toolCases,
  ...permissionCases,
  ...fileCases,
  ...terminalCases,
  ...questionCases,
  ...cancelCases,
  idleCancel,
  ...sessionCases,
  ...historyCases,
  ...closeCases,
  ...mcpCases,
  ...requestCases,
  ...endCases,
].map(skippingMissingPrompts);

/** A case whose requirements are skipped, not untested, if the user gave no prompt for them. */
function skippingMissingPrompts(one: AgentCase): AgentCase {
  return {
    ...one,
    run: async (check) => {
      try {
        await one.run(check);
      } catch (error) {
        if (!(error instanceof MissingPrompt)) throw error;
        for (const id of one.ids) check.skip(id, error.message);
      }
    },
  };
}

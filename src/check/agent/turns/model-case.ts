import type { AgentCase } from "../case.ts";

/** A case that only the scripted model can provoke. Without one, its requirements are skipped. */
export function modelCase(one: Omit<AgentCase, "needs">): AgentCase {
  return {
    ...one,
    needs: "model",
    run: async (check) => {
      if (check.run.usesModel) return one.run(check);
      for (const id of one.ids) check.skip(id, "needs a scripted model: prompts cannot provoke it");
    },
  };
}

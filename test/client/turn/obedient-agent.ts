import { cancelled, FakeAgent } from "../fake-agent.ts";

export const permissionOptions = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

/** An agent whose turns run until they are cancelled, and then end with `cancelled`. */
export function obedient(): FakeAgent {
  const agent: FakeAgent = new FakeAgent({
    "session/prompt": async ({ sessionId }) => {
      const cancel = agent.next("session/cancel");
      await agent.say(String(sessionId), "working");
      await cancel;
      return cancelled;
    },
  });
  return agent;
}

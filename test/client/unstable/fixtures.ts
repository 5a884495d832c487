import { FakeAgent, initialized, type Handler } from "../fake-agent.ts";

/** An agent that advertises every unstable capability. */
export function unstableAgent(handlers: Record<string, Handler> = {}): FakeAgent {
  return new FakeAgent({
    initialize: () =>
      initialized({
        loadSession: true,
        mcpCapabilities: { http: false, sse: false, acp: true },
        sessionCapabilities: {
          list: {},
          archive: {},
          status: {},
          title: {},
          systemPrompt: { mode: { override: {} } },
        },
        auth: { status: {} },
        providers: {},
      }),
    ...handlers,
  });
}

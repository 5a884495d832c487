import type { HubAgent } from "../../../../host/hub/index.ts";
import type { SelectedAgent } from "../../agents/select.ts";
import { openAgent } from "../../connect/open-agent.ts";
import { type PacedOutput, pacedChannel } from "../../shell/backpressure.ts";
import type { Context } from "../../context/context.ts";

/** Where the output of an agent goes besides its messages. */
export interface AgentOutputs {
  /** Gets the stderr of its process. */
  readonly stderr: (text: string) => void;
  /** Outputs that its messages fill. The agent waits while one of them is overloaded. */
  readonly paced: readonly PacedOutput[];
}

/** The chosen agent, as a hub starts it: in the workspace, with the environment of this process. */
export function hubAgent(context: Context, agent: SelectedAgent, outputs: AgentOutputs): HubAgent {
  const { command, args } = agent;
  return {
    name: agent.name,
    key: JSON.stringify([command, ...args]),
    open: async () => {
      const channel = await openAgent(context, agent, outputs);
      return outputs.paced.length === 0 ? channel : pacedChannel(channel, outputs.paced);
    },
  };
}

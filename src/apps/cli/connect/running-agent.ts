import type { AcpClient } from "../../../client/index.ts";
import type { Chosen } from "../agents/choose.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPrompter } from "../permissions/policy.ts";
import type { AgentFacts } from "../render/renderer.ts";
import type { Secrets } from "./secrets.ts";

export interface RunningAgent {
  readonly client: AcpClient;
  readonly agent: SelectedAgent;
  readonly facts: AgentFacts;
  readonly prompter: PermissionPrompter;
  readonly chosen: Chosen;
  readonly secrets: Secrets;
  /** Whether the agent goes on when this run ends. */
  readonly isWarm: boolean;
  /** Background work, which `close` waits for. */
  readonly background: Promise<unknown>[];
  /** Ends the agent, the background work and the recording. */
  close(): Promise<void>;
}

type Capable = { readonly agent: Pick<AcpClient["agent"], "raw" | "capabilities"> };

/** What the agent can do, with capabilities that the library does not know. */
export function capabilitiesOf({ agent }: Capable): unknown {
  return agent.raw["agentCapabilities"] ?? agent.capabilities;
}

/** The capabilities as the agent spelled them: v2 and one dialect have names of their own. */
export function sentCapabilities({ agent: { raw } }: Capable): unknown {
  return raw["agentCapabilities"] ?? raw["agent_capabilities"] ?? raw["capabilities"];
}

import type { AcpClient } from "../../client/index.ts";
import type { Chosen } from "../agents/choose.ts";
import type { SelectedAgent } from "../agents/select.ts";
import type { PermissionPrompter } from "../permissions/prompter.ts";
import type { AgentFacts } from "../render/renderer.ts";
import type { Secrets } from "./secrets.ts";

/** A running agent. */
export interface RunningAgent {
  readonly client: AcpClient;
  readonly agent: SelectedAgent;
  readonly facts: AgentFacts;
  readonly prompter: PermissionPrompter;
  readonly chosen: Chosen;
  readonly secrets: Secrets;
  /** Work that may go on beside the conversation, and is over before `close` is. */
  readonly aside: Promise<unknown>[];
  /** Ends the agent and everything that belongs to it. */
  close(): Promise<void>;
}

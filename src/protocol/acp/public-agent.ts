/** What `dragoman/agent` publishes. */
export * from "./public.ts";
export type * from "./types/agent.ts";
export type { PlanPriority, PlanStatus } from "./vocabulary.ts";
export type {
  McpErrorObject,
  McpServer,
  McpServerAcp,
  PlanRemoved,
  PlanUpdate,
  SessionMessage,
  SessionMessageChunk,
  SessionMessageDetails,
  SessionUpdate,
  SubagentCapabilities,
  SubagentDetails,
  SubagentUpdate,
  SystemPrompt,
  UnstableClientCapabilities,
  UnstableSessionUpdate,
} from "./types/unstable.ts";
export type { ClientCapability } from "./capabilities.ts";
export type { ElicitationAnswer, TerminalOutput } from "./parse/results.ts";

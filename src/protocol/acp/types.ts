/**
 * The wire types of ACP v1, as the protocol's own project generates them from its schema.
 * These are types only: no SDK code is loaded at run time.
 */
export type * from "./types/agent.ts";
export type * from "./types/client.ts";
export type * from "./types/shared.ts";

/** Parameters and results of methods. No entry publishes them. */
export type {
  InitializeRequest,
  InitializeResponse,
  PromptResponse,
} from "@agentclientprotocol/sdk";

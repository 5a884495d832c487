/** What an agent says about itself. */
export type {
  AgentAuthCapabilities,
  AgentCapabilities,
  LogoutCapabilities,
  SessionAdditionalDirectoriesCapabilities,
  SessionCapabilities,
  SessionCloseCapabilities,
  SessionDeleteCapabilities,
  SessionListCapabilities,
  SessionResumeCapabilities,
} from "@agentclientprotocol/sdk";

import type { Requirement } from "../requirement.ts";
import { area } from "./rows.ts";

const OPTIONS = { requires: "configOptions" } as const;

const plans = area("plans", [
  [
    "DRA-PLAN-01",
    "SHOULD",
    "model",
    "agent-plan#creating-plans",
    "The agent reports the todo list of the model as a plan.",
  ],
  [
    "DRA-PLAN-02",
    "MUST",
    "model",
    "agent-plan#updating-plans",
    "Every plan update is complete, with valid priorities and statuses.",
  ],
]);

const modes = area("modes", [
  [
    "ACP-MODES-001",
    "MUST",
    "none",
    "session-modes",
    "The current mode is one of the available modes.",
    { requires: "modes" },
  ],
  [
    "ACP-MODES-002",
    "MUST",
    "none",
    "session-modes",
    "session/set_mode succeeds for an available mode.",
    { requires: "modes" },
  ],
  [
    "DRA-MODE-01",
    "WARN",
    "none",
    "session-modes#setting-the-current-mode",
    "session/set_mode fails for an unknown mode, and works while a turn runs.",
    { requires: "modes" },
  ],
]);

const options = area("options", [
  [
    "ACP-CONFIG-001",
    "MUST",
    "none",
    "session-config-options",
    "The current value of each option is one of its values.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-002",
    "MUST",
    "none",
    "session-config-options",
    "session/set_config_option answers with the complete list of options.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-003",
    "MUST",
    "none",
    "session-config-options",
    "Boolean options appear only if the client offers to take them.",
    OPTIONS,
  ],
  [
    "DRA-CFG-01",
    "MUST",
    "none",
    "session-config-options#default-values-and-graceful-degradation",
    "Option ids are unique, each option has a value, and a boolean can be set if it is offered.",
    OPTIONS,
  ],
  ["DRA-CFG-02", "WARN", "none", "", "Setting an unknown option or value is an error.", OPTIONS],
  [
    "DRA-CFG-03",
    "SHOULD",
    "none",
    "session-config-options#relationship-to-session-modes",
    "Modes and options stay in step, both ways.",
    OPTIONS,
  ],
]);

const commands = area("commands", [
  [
    "DRA-CMD-01",
    "WARN",
    "passive",
    "slash-commands#advertising-commands",
    "Command names are unique and have no slash in front, and input has a hint.",
  ],
]);

const mcp = area("mcp", [
  [
    "DRA-MCP-01",
    "MUST",
    "model",
    "session-setup#stdio-transport",
    "A stdio server is started with its args and env by the first call of the model.",
  ],
  [
    "DRA-MCP-02",
    "MUST",
    "model",
    "session-setup#mcp-servers",
    "The tools of an MCP server are offered to the model and can be called.",
  ],
  [
    "DRA-MCP-03",
    "SHOULD",
    "none",
    "session-setup#checking-transport-support",
    "All servers are connected, and one that fails or hangs does not hold up the session.",
  ],
  [
    "DRA-MCP-04",
    "MUST",
    "none",
    "session-setup#checking-transport-support",
    "Servers over HTTP and SSE are connected with their headers, if the transport is advertised, and are otherwise refused.",
  ],
  [
    "DRA-MCP-05",
    "MUST",
    "model",
    "session-setup#resuming-a-session",
    "Load and resume connect the MCP servers again.",
  ],
]);

/** Requirements about plans, the settings of a session, and its MCP servers. */
export const AGENT_SETTINGS: readonly (readonly Requirement[])[] = [
  plans,
  modes,
  options,
  commands,
  mcp,
];

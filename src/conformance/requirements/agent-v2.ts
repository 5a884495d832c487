import type { Requirement } from "../requirement.ts";
import { area as areaOf, type RequirementRow } from "./rows.ts";

function area(name: string, rows: readonly RequirementRow[]): readonly Requirement[] {
  return areaOf(name, rows, "agent", 2);
}

const AUTH = { requires: "authMethods" } as const;

const SESSION = { requires: "session" } as const;

const DELETE = { requires: "session.delete" } as const;

const ROOTS = { requires: "session.additionalDirectories" } as const;

const OPTIONS = { requires: "configOptions" } as const;

const initialize = area("initialize", [
  [
    "ACP-INIT-201",
    "MUST",
    "none",
    "initialization",
    "The agent answers version 2, or its own latest version.",
  ],
  [
    "ACP-INIT-202",
    "MUST",
    "none",
    "initialization",
    "The agent answers a client that asks for version 1 with a result.",
  ],
  [
    "ACP-INIT-203",
    "MUST",
    "none",
    "initialization",
    "The result has info with a name and a version.",
  ],
  [
    "ACP-INIT-204",
    "MUST",
    "none",
    "schema",
    "Every capability is an object or null, never a boolean.",
  ],
  [
    "DRA2-INIT-01",
    "MUST",
    "passive",
    "initialization",
    "After negotiation, the connection has only messages of the negotiated version.",
  ],
]);

const authentication = area("authentication", [
  [
    "ACP-AUTH-201",
    "SHOULD",
    "none",
    "schema",
    "The ids of authentication methods are unique.",
    AUTH,
  ],
  [
    "ACP-AUTH-202",
    "MUST",
    "none",
    "schema",
    "A terminal method is offered only to clients with the capability auth.terminal.",
  ],
  [
    "ACP-AUTH-203",
    "MUST",
    "none",
    "schema",
    "auth/logout succeeds if authentication methods are offered.",
    { requires: "authMethods", optIn: "logout" },
  ],
  [
    "ACP-AUTH-204",
    "MUST",
    "none",
    "schema",
    "After auth/login succeeds, session/new does not ask for authentication.",
    AUTH,
  ],
  [
    "ACP-AUTH-205",
    "SHOULD",
    "none",
    "schema",
    "An agent that offers no authentication method does not ask for authentication.",
  ],
  [
    "ACP-AUTH-206",
    "MUST",
    "none",
    "authentication",
    "The type of a method is known or begins with an underscore.",
    AUTH,
  ],
  [
    "ACP-AUTH-207",
    "MUST",
    "none",
    "schema",
    "Terminal methods have args that are texts, and env as an array with unique names.",
  ],
]);

const sessions = area("sessions", [
  [
    "ACP-SESSION-203",
    "MUST",
    "none",
    "schema",
    "session/new takes mcpServers that are omitted or empty.",
    SESSION,
  ],
  [
    "ACP-RESUME-201",
    "MUST",
    "prompt",
    "session-setup",
    "session/resume succeeds without replayFrom.",
    SESSION,
  ],
  [
    "ACP-RESUME-202",
    "MUST",
    "prompt",
    "session-setup",
    "A replay from the start comes before the response.",
    SESSION,
  ],
  [
    "ACP-RESUME-203",
    "MUST",
    "prompt",
    "session-setup",
    "Nothing is replayed without replayFrom.",
    SESSION,
  ],
  [
    "ACP-RESUME-204",
    "MUST",
    "prompt",
    "session-setup",
    "A replayed user message has the id of its receipt.",
    SESSION,
  ],
  [
    "ACP-RESUME-205",
    "MUST",
    "prompt",
    "session-setup",
    "In a replay, the whole message comes before its chunks.",
    SESSION,
  ],
  [
    "ACP-LIST-203",
    "MUST",
    "prompt",
    "session-list",
    "Every listed cwd equals the folder that was asked for.",
    SESSION,
  ],
  ["ACP-LIST-204", "MUST", "prompt", "session-list", "Every listed cwd is absolute.", SESSION],
  [
    "ACP-DELETE-202",
    "MUST",
    "prompt",
    "session-delete",
    "A deleted session is no longer listed.",
    DELETE,
  ],
  [
    "ACP-ADDDIRS-202",
    "MUST",
    "prompt",
    "session-setup",
    "session/resume takes an additional folder with an absolute path.",
    ROOTS,
  ],
]);

const options = area("options", [
  [
    "ACP-CONFIG-201",
    "MUST",
    "none",
    "session-config-options",
    "Every option has an id, a name and a form that fits its type.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-202",
    "MUST",
    "none",
    "session-config-options",
    "session/set_config_option answers with the complete list of options.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-203",
    "MUST",
    "prompt",
    "session-setup",
    "The options of session/resume have the same form.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-204",
    "MUST",
    "none",
    "session-config-options",
    "The current value of each option is one of its values.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-205",
    "SHOULD",
    "none",
    "session-config-options",
    "The option that was set has the value that was sent.",
    OPTIONS,
  ],
  [
    "ACP-CONFIG-206",
    "MUST",
    "passive",
    "session-config-options",
    "config_option_update has the complete list of options.",
    OPTIONS,
  ],
]);

const mcp = area("mcp", [
  [
    "ACP-MCP-201",
    "INFO",
    "none",
    "session-setup",
    "Whether session/new takes a stdio server.",
    { requires: "session.mcp.stdio" },
  ],
  [
    "ACP-MCP-202",
    "INFO",
    "none",
    "session-setup",
    "Whether session/new takes a server over HTTP.",
    { requires: "session.mcp.http" },
  ],
]);

const batches = area("batches", [
  ["ACP-BATCH-201", "INFO", "none", "transports", "How the agent replies to an empty array."],
  [
    "ACP-BATCH-202",
    "INFO",
    "none",
    "transports",
    "How the agent replies to an array of notifications.",
  ],
  [
    "ACP-BATCH-203",
    "INFO",
    "none",
    "transports",
    "How the agent replies to an array with invalid entries.",
  ],
  [
    "ACP-BATCH-204",
    "INFO",
    "none",
    "transports",
    "Whether the agent replies to an array of requests with one array.",
  ],
  [
    "ACP-BATCH-205",
    "INFO",
    "none",
    "transports",
    "Whether the responses in that array have the ids of the requests.",
  ],
]);

const extensions = area("extensions", [
  [
    "ACP-EXT-201",
    "SHOULD",
    "none",
    "extensibility",
    "The agent ignores an unknown notification whose name begins with an underscore.",
  ],
  [
    "ACP-EXT-202",
    "SHOULD",
    "none",
    "extensibility",
    "Capabilities have no undeclared fields; custom ones go into _meta.",
  ],
  [
    "ACP-EXT-203",
    "INFO",
    "none",
    "schema",
    "How the agent replies to an unknown notification of the protocol level.",
  ],
  ["ACP-META-201", "SHOULD", "passive", "schema", "Every _meta is an object or null."],
]);

/** Requirements about everything else that only version 2 has. */
export const AGENT_V2: readonly (readonly Requirement[])[] = [
  initialize,
  authentication,
  sessions,
  options,
  mcp,
  batches,
  extensions,
];

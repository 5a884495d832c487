import type { Requirement } from "../requirement.ts";
import { area } from "./rows.ts";

const toolCalls = area("tool-calls", [
  [
    "DRA-TOOL-01",
    "SHOULD",
    "model",
    "tool-calls#creating",
    "Every tool call of the model is reported.",
  ],
  [
    "DRA-TOOL-02",
    "WARN",
    "passive",
    "tool-calls#creating",
    "A tool_call comes once per id, before its updates and its permission request.",
  ],
  ["DRA-TOOL-03", "MUST", "passive", "schema", "Tool call ids are unique in their session."],
  [
    "DRA-TOOL-04",
    "SHOULD",
    "passive",
    "tool-calls#status",
    "A tool call that is completed or failed stays so.",
  ],
  [
    "DRA-TOOL-05",
    "WARN",
    "model",
    "tool-calls#status",
    "No tool call is left open when the prompt is answered, even after a denial or a cancel.",
  ],
  [
    "DRA-TOOL-06",
    "SHOULD",
    "model",
    "tool-calls#status",
    "A command that fails and a file that is missing give the status failed.",
  ],
  [
    "DRA-TOOL-07",
    "MUST",
    "passive",
    "overview#argument-requirements",
    "Paths in diffs and locations are absolute, and lines count from 1.",
  ],
  [
    "DRA-TOOL-08",
    "SHOULD",
    "model",
    "tool-calls#diffs",
    "An edit shows a diff, and its newText is then in the file.",
  ],
  [
    "DRA-TOOL-09",
    "MUST",
    "passive",
    "tool-calls#terminals",
    "Terminal content names a terminal that exists and was not released.",
  ],
  [
    "DRA-TOOL-10",
    "WARN",
    "model",
    "",
    "The agent copes with two tool calls in one step, arguments that are not JSON, and very long output.",
  ],
]);

const permission = area("permission", [
  [
    "DRA-PERM-01",
    "MUST",
    "model",
    "tool-calls#permission-options",
    "A permission request has options with unique ids and known kinds.",
  ],
  [
    "DRA-PERM-02",
    "MUST",
    "model",
    "tool-calls#requesting-permission",
    "The tool runs when the client allows it, with any allowing option.",
  ],
  [
    "DRA-PERM-03",
    "MUST",
    "model",
    "tool-calls#requesting-permission",
    "The tool does not run when the client rejects or cancels the request, and the turn ends.",
  ],
  [
    "DRA-PERM-04",
    "MUST",
    "model",
    "tool-calls#requesting-permission",
    "The tool has no effect before the client has answered.",
  ],
  [
    "DRA-PERM-05",
    "WARN",
    "model",
    "",
    "An error, an unknown option or an unknown outcome counts as a denial.",
  ],
  [
    "DRA-PERM-06",
    "WARN",
    "model",
    "tool-calls#permission-options",
    "allow_once allows one call only.",
  ],
]);

const files = area("files", [
  [
    "ACP-CLIENTCAP-001",
    "MUST",
    "model",
    "file-system#checking-support",
    "The agent uses file methods only if the client offers them; reading and writing are offered separately.",
  ],
  [
    "DRA-FS-01",
    "MUST",
    "passive",
    "file-system#reading-files",
    "File requests have an absolute path, a session of this connection, and lines from 1.",
  ],
  [
    "DRA-FS-02",
    "WARN",
    "model",
    "file-system",
    "The agent takes the client's content instead of the disk's, and writes exactly the model's text.",
  ],
  [
    "DRA-FS-03",
    "WARN",
    "model",
    "",
    "A missing file can be created, and other file errors fail the tool and not the turn.",
  ],
]);

const terminals = area("terminals", [
  [
    "ACP-CLIENTCAP-002",
    "MUST",
    "model",
    "terminals#checking-support",
    "The agent uses terminals only if the client offers them.",
  ],
  [
    "DRA-TERM-01",
    "MUST",
    "model",
    "terminals#executing-commands",
    "Every terminal is released once, even after a cancel or an error, and not used afterwards.",
  ],
  [
    "DRA-TERM-02",
    "MUST",
    "passive",
    "terminals#executing-commands",
    "terminal/create has an absolute cwd, and env as an array.",
  ],
  [
    "DRA-TERM-03",
    "WARN",
    "model",
    "terminals#executing-commands",
    "The command of a terminal can be executed without a shell.",
  ],
  [
    "DRA-TERM-04",
    "WARN",
    "model",
    "",
    "A refused terminal fails the tool only, and the exit code, the signal and truncation reach the model.",
  ],
]);

const elicitation = area("elicitation", [
  [
    "ACP-CLIENTCAP-003",
    "MUST",
    "model",
    "elicitation#checking-support",
    "The agent uses only the elicitation modes that the client offers.",
  ],
  [
    "DRA-ELI-01",
    "MUST",
    "passive",
    "elicitation#creating-an-elicitation",
    "An elicitation has one scope, a mode, a flat schema, and an id that no open one has.",
  ],
  [
    "DRA-ELI-02",
    "MUST",
    "model",
    "elicitation#responses",
    "The turn ends when an elicitation is declined, cancelled or answered with an error.",
  ],
  ["DRA-ELI-03", "MUST", "passive", "elicitation#form-mode", "A form does not ask for secrets."],
]);

/** Requirements about tool calls and everything that they ask of the client. */
export const AGENT_TOOLS: readonly (readonly Requirement[])[] = [
  toolCalls,
  permission,
  files,
  terminals,
  elicitation,
];

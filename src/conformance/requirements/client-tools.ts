import type { Requirement } from "../requirement.ts";
import { area as areaOf, type RequirementRow } from "./rows.ts";

function area(name: string, rows: readonly RequirementRow[]): readonly Requirement[] {
  return areaOf(name, rows, "client");
}

const permission = area("permission", [
  [
    "DRC-PERM-01",
    "MUST",
    "turn",
    "tool-calls#requesting-permission",
    "A permission request is answered with one of its options, or as cancelled.",
  ],
  [
    "DRC-PERM-02",
    "WARN",
    "decision",
    "",
    "The answer follows the decision, in any order of the options, and is never an unasked always.",
  ],
  ["DRC-PERM-03", "WARN", "decision", "", "A request without a fitting option is not approved."],
  [
    "DRC-PERM-04",
    "WARN",
    "decision",
    "",
    "Of several options of one kind, the chosen one is sent.",
  ],
  [
    "DRC-PERM-05",
    "MUST",
    "cancel",
    "prompt-turn#cancellation",
    "A cancel answers every open permission request as cancelled, and those that come later.",
  ],
  [
    "DRC-PERM-06",
    "WARN",
    "turn",
    "",
    "A permission request for an unknown call or session, or outside a turn, is answered.",
  ],
]);

const files = area("files", [
  [
    "DRC-FS-01",
    "MUST",
    "turn",
    "file-system#checking-support",
    "File methods that the client does not offer are answered with error -32601 and have no effect.",
  ],
  [
    "DRC-FS-02",
    "WARN",
    "turn",
    "file-system#reading-files",
    "The content of a file is returned exactly.",
  ],
  [
    "DRC-FS-03",
    "MUST",
    "turn",
    "file-system#reading-files",
    "line and limit select lines, counted from 1.",
  ],
  [
    "DRC-FS-04",
    "WARN",
    "turn",
    "schema#errorcode",
    "A file that cannot be read is an error in bounded time, -32002 if it is missing.",
  ],
  [
    "DRC-FS-05",
    "MUST",
    "turn",
    "file-system#writing-files",
    "A write creates the file with exactly its content.",
  ],
  ["DRC-FS-06", "WARN", "turn", "overview#argument-requirements", "A relative path is refused."],
  [
    "DRC-FS-07",
    "WARN",
    "turn",
    "session-setup#working-directory",
    "Paths outside the folders of the session are refused, even through links.",
  ],
  [
    "DRC-FS-08",
    "WARN",
    "decision",
    "",
    "A request for an unknown session is refused, and a denied write leaves no file.",
  ],
]);

const terminals = area("terminals", [
  [
    "DRC-TERM-01",
    "MUST",
    "turn",
    "terminals#checking-support",
    "Terminal methods that the client does not offer are answered with error -32601, and nothing runs.",
  ],
  [
    "DRC-TERM-02",
    "MUST",
    "turn",
    "terminals#executing-commands",
    "terminal/create returns at once with a unique id.",
  ],
  [
    "DRC-TERM-03",
    "MUST",
    "turn",
    "terminals#getting-output",
    "terminal/output does not wait, and terminal/wait_for_exit does, for several callers.",
  ],
  [
    "DRC-TERM-04",
    "WARN",
    "turn",
    "terminals",
    "Arguments are literal, env and cwd apply, and exit codes and signals are exact.",
  ],
  [
    "DRC-TERM-05",
    "MUST",
    "turn",
    "terminals#executing-commands",
    "The byte limit keeps the end of the output, cut at a character, and says so.",
  ],
  [
    "DRC-TERM-06",
    "MUST",
    "turn",
    "terminals#killing-commands",
    "terminal/kill ends the command and its children, and the output stays readable.",
  ],
  [
    "DRC-TERM-07",
    "MUST",
    "turn",
    "terminals#releasing-terminals",
    "terminal/release ends the command and makes the id invalid.",
  ],
  [
    "DRC-TERM-08",
    "WARN",
    "turn",
    "",
    "Unknown commands, binary output, very long output and ids of other sessions are handled.",
  ],
  [
    "DRC-TERM-09",
    "WARN",
    "turn",
    "",
    "Terminals that were not released end with the agent or the client.",
  ],
]);

const elicitation = area("elicitation", [
  [
    "DRC-ELI-01",
    "MUST",
    "turn",
    "elicitation#url-completion",
    "A mode that the client does not offer is answered with error -32602.",
  ],
  [
    "DRC-ELI-02",
    "SHOULD",
    "person",
    "elicitation#form-mode",
    "Accepted content fits the schema of the form.",
  ],
  [
    "DRC-ELI-03",
    "WARN",
    "turn",
    "elicitation#responses",
    "An elicitation is declined or cancelled if no person can be asked.",
  ],
  [
    "DRC-ELI-04",
    "MUST",
    "turn",
    "elicitation#url-security",
    "The client does not open a URL without consent.",
  ],
  [
    "DRC-ELI-05",
    "MUST",
    "turn",
    "elicitation#url-completion",
    "A completion of an unknown or finished elicitation is ignored.",
  ],
]);

/** Requirements for clients about the requests of agents. */
export const CLIENT_TOOLS: readonly (readonly Requirement[])[] = [
  permission,
  files,
  terminals,
  elicitation,
];

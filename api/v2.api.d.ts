// The public interface of `dragoman/v2`, written by `npm run docs`.

export type JsonObject = {
  readonly [key: string]: unknown;
};

export type ProtocolVersion = 1 | 2;

export interface TranslatedFrames {
  readonly toAgent: readonly JsonObject[];
  readonly toClient: readonly JsonObject[];
}

export interface TranslatorOptions {
  readonly client: ProtocolVersion;
  readonly agent: ProtocolVersion;
}

export interface V2Loss {
  readonly id: string;
  readonly to: "v1 client" | "v1 agent" | "v2 client" | "v2 agent";
  readonly sent: string;
  readonly received: string;
}

export type V2LossId = (typeof V2_LOSSES)[number]["id"];

export declare const V2_LOSSES: readonly [
  {
    readonly id: "state";
    readonly to: "v1 client";
    readonly sent: "`state_update`: `requires_action`, background work, work that the agent starts itself";
    readonly received: "nothing; the prompt is answered at the idle state that ends it";
  },
  {
    readonly id: "stop-reason";
    readonly to: "v1 client";
    readonly sent: "an idle state without a stop reason, or with an unknown one";
    readonly received: "`end_turn`, and the value in `_meta`";
  },
  {
    readonly id: "user-echo";
    readonly to: "v1 client";
    readonly sent: "the user's message, repeated during its turn";
    readonly received: "nothing";
  },
  {
    readonly id: "message-replaced";
    readonly to: "v1 client";
    readonly sent: "a message that replaces or clears what was streamed";
    readonly received: "a new message with the new content";
  },
  {
    readonly id: "tool-value-cleared";
    readonly to: "v1 client";
    readonly sent: "null for the title, name, input or output of a tool call";
    readonly received: "the old value stays";
  },
  {
    readonly id: "tool-status";
    readonly to: "v1 client";
    readonly sent: "the statuses `cancelled`, `paused` and unknown ones";
    readonly received: "`failed` or `in_progress`, and the value in `_meta`";
  },
  {
    readonly id: "tool-kind";
    readonly to: "v1 client";
    readonly sent: "an unknown tool kind";
    readonly received: "`other`, and the value in `_meta`";
  },
  {
    readonly id: "tool-cancel";
    readonly to: "v1 client";
    readonly sent: "`capabilities.cancel` of a tool call or terminal";
    readonly received: "nothing; v1 cannot cancel either";
  },
  {
    readonly id: "diff";
    readonly to: "v1 client";
    readonly sent: "a diff with moves, copies, binary files or without a patch";
    readonly received: "a line of text for each such change";
  },
  {
    readonly id: "terminal";
    readonly to: "v1 client";
    readonly sent: "a terminal of the agent: bytes, colours, size, live output";
    readonly received: "its text as content of the tool call, whenever it doubled, and at its end or the end of the turn";
  },
  {
    readonly id: "content-kind";
    readonly to: "v1 client";
    readonly sent: "content of an unknown type in messages and tool calls, and the icons of a link";
    readonly received: "nothing";
  },
  {
    readonly id: "plan";
    readonly to: "v1 client";
    readonly sent: "several plans, their ids, plans without entries, entries that are `cancelled`, and entries of an unknown status or priority";
    readonly received: "one plan with the entries of all plans; unknown values become `pending` and `medium`";
  },
  {
    readonly id: "permission-text";
    readonly to: "v1 client";
    readonly sent: "the title and description of a permission request about a tool call";
    readonly received: "the tool call alone";
  },
  {
    readonly id: "permission-kind";
    readonly to: "v1 client";
    readonly sent: "a permission option of an unknown kind";
    readonly received: "`reject_once`, and the kind in `_meta`";
  },
  {
    readonly id: "update-kind";
    readonly to: "v1 client";
    readonly sent: "notices, compactions, boolean options and updates about subagents, to a client that did not ask for them; options and updates of unknown types";
    readonly received: "nothing";
  },
  {
    readonly id: "command-type";
    readonly to: "v1 client";
    readonly sent: "slash commands of unknown types";
    readonly received: "plain slash commands";
  },
  {
    readonly id: "sse";
    readonly to: "v2 agent";
    readonly sent: "an MCP server over SSE, or one that the agent cannot start";
    readonly received: "nothing; the client gets -32602";
  },
  {
    readonly id: "session-list";
    readonly to: "v2 client";
    readonly sent: "no `session/list`";
    readonly received: "an empty list";
  },
  {
    readonly id: "session-history";
    readonly to: "v2 client";
    readonly sent: "only `session/resume`, or only `session/load`";
    readonly received: "no replay, or a replay that is dropped; without both, -32002";
  },
  {
    readonly id: "session-close";
    readonly to: "v2 client";
    readonly sent: "no `session/close`";
    readonly received: "the turn is cancelled and the session forgotten; the agent keeps its memory";
  },
  {
    readonly id: "late-refusal";
    readonly to: "v2 client";
    readonly sent: "an error for a prompt that v2 has accepted already";
    readonly received: "an idle state with the stop reason `error`";
  },
  {
    readonly id: "message-id";
    readonly to: "v2 client";
    readonly sent: "chunks without a message id";
    readonly received: "an id for each run of chunks of one kind";
  },
  {
    readonly id: "user-chunks";
    readonly to: "v2 client";
    readonly sent: "the user's message, repeated in chunks during its turn";
    readonly received: "nothing; the whole message was sent when the turn started";
  },
  {
    readonly id: "empty-option";
    readonly to: "v2 client";
    readonly sent: "a select option or modes without any value";
    readonly received: "nothing";
  },
  {
    readonly id: "diff-lines";
    readonly to: "v2 client";
    readonly sent: "a diff of parts of a file";
    readonly received: "a patch whose line numbers count from that part; the texts are in `_meta`";
  },
  {
    readonly id: "files";
    readonly to: "v1 agent";
    readonly sent: "files and terminals of the client, and unsaved text";
    readonly received: "neither is offered; calling them gives -32601";
  },
  {
    readonly id: "logout";
    readonly to: "v2 client";
    readonly sent: "logins without `logout`";
    readonly received: "-32603 for `auth/logout`";
  },
  {
    readonly id: "client-terminal";
    readonly to: "v2 client";
    readonly sent: "a terminal of the client in the content of a tool call";
    readonly received: "nothing";
  },
];

export declare const V2_SCHEMA_VERSION = "2.4.0";

export interface VersionTranslator {
  fromClient(frame: JsonObject): TranslatedFrames;
  fromAgent(frame: JsonObject): TranslatedFrames;
  readonly losses: ReadonlyMap<V2LossId, number>;
}

export declare function translator({ client, agent }: TranslatorOptions): VersionTranslator;

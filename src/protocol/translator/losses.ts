/** Something that one version can express and the other cannot. */
export interface V2Loss {
  readonly id: string;
  /** Which way the message goes: to a v1 client from a v2 agent, or to a v2 client from a v1 agent. */
  readonly to: "v1 client" | "v1 agent" | "v2 client" | "v2 agent";
  /** The thing that is sent. */
  readonly sent: string;
  /** The thing that arrives instead. */
  readonly received: string;
}

/** Everything that does not survive a translation between the versions. */
export const V2_LOSSES = [
  {
    id: "state",
    to: "v1 client",
    sent: "`state_update`: `requires_action`, background work, work that the agent starts itself",
    received: "nothing; the prompt is answered at the idle state that ends it",
  },
  {
    id: "stop-reason",
    to: "v1 client",
    sent: "an idle state without a stop reason, or with an unknown one",
    received: "`end_turn`, and the value in `_meta`",
  },
  {
    id: "user-echo",
    to: "v1 client",
    sent: "the user's message, repeated during its turn",
    received: "nothing",
  },
  {
    id: "message-replaced",
    to: "v1 client",
    sent: "a message that replaces or clears what was streamed",
    received: "a new message with the new content",
  },
  {
    id: "tool-value-cleared",
    to: "v1 client",
    sent: "null for the title, name, input or output of a tool call",
    received: "the old value stays",
  },
  {
    id: "tool-status",
    to: "v1 client",
    sent: "the statuses `cancelled`, `paused` and unknown ones",
    received: "`failed` or `in_progress`, and the value in `_meta`",
  },
  {
    id: "tool-kind",
    to: "v1 client",
    sent: "an unknown tool kind",
    received: "`other`, and the value in `_meta`",
  },
  {
    id: "tool-cancel",
    to: "v1 client",
    sent: "`capabilities.cancel` of a tool call or terminal",
    received: "nothing; v1 cannot cancel either",
  },
  {
    id: "diff",
    to: "v1 client",
    sent: "a diff with moves, copies, binary files or without a patch",
    received: "a line of text for each such change",
  },
  {
    id: "terminal",
    to: "v1 client",
    sent: "a terminal of the agent: bytes, colours, size, live output",
    received:
      "its text as content of the tool call, whenever it doubled, and at its end or the end of the turn",
  },
  {
    id: "content-kind",
    to: "v1 client",
    sent: "content of an unknown type in messages and tool calls, and the icons of a link",
    received: "nothing",
  },
  {
    id: "plan",
    to: "v1 client",
    sent: "several plans, their ids, plans without entries, entries that are `cancelled`, and entries of an unknown status or priority",
    received:
      "one plan with the entries of all plans; unknown values become `pending` and `medium`",
  },
  {
    id: "permission-text",
    to: "v1 client",
    sent: "the title and description of a permission request about a tool call",
    received: "the tool call alone",
  },
  {
    id: "permission-kind",
    to: "v1 client",
    sent: "a permission option of an unknown kind",
    received: "`reject_once`, and the kind in `_meta`",
  },
  {
    id: "update-kind",
    to: "v1 client",
    sent: "notices, compactions, boolean options and updates about subagents, to a client that did not ask for them; options and updates of unknown types",
    received: "nothing",
  },
  {
    id: "command-type",
    to: "v1 client",
    sent: "slash commands of unknown types",
    received: "plain slash commands",
  },
  {
    id: "sse",
    to: "v2 agent",
    sent: "an MCP server over SSE, or one that the agent cannot start",
    received: "nothing; the client gets -32602",
  },
  {
    id: "session-list",
    to: "v2 client",
    sent: "no `session/list`",
    received: "an empty list",
  },
  {
    id: "session-history",
    to: "v2 client",
    sent: "only `session/resume`, or only `session/load`",
    received: "no replay, or a replay that is dropped; without both, -32002",
  },
  {
    id: "session-close",
    to: "v2 client",
    sent: "no `session/close`",
    received: "the turn is cancelled and the session forgotten; the agent keeps its memory",
  },
  {
    id: "late-refusal",
    to: "v2 client",
    sent: "an error for a prompt that v2 has accepted already",
    received: "an idle state with the stop reason `error`",
  },
  {
    id: "message-id",
    to: "v2 client",
    sent: "chunks without a message id",
    received: "an id for each run of chunks of one kind",
  },
  {
    id: "user-chunks",
    to: "v2 client",
    sent: "the user's message, repeated in chunks during its turn",
    received: "nothing; the whole message was sent when the turn started",
  },
  {
    id: "empty-option",
    to: "v2 client",
    sent: "a select option or modes without any value",
    received: "nothing",
  },
  {
    id: "diff-lines",
    to: "v2 client",
    sent: "a diff of parts of a file",
    received: "a patch whose line numbers count from that part; the texts are in `_meta`",
  },
  {
    id: "files",
    to: "v1 agent",
    sent: "files and terminals of the client, and unsaved text",
    received: "neither is offered; calling them gives -32601",
  },
  {
    id: "logout",
    to: "v2 client",
    sent: "logins without `logout`",
    received: "-32603 for `auth/logout`",
  },
  {
    id: "client-terminal",
    to: "v2 client",
    sent: "a terminal of the client in the content of a tool call",
    received: "nothing",
  },
] as const satisfies readonly V2Loss[];

/** The name of a loss. */
export type V2LossId = (typeof V2_LOSSES)[number]["id"];

export class LossCounter {
  readonly counts = new Map<V2LossId, number>();

  add(id: V2LossId): void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
  }
}

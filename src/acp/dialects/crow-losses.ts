/** Something canonical ACP can say and crow cannot. */
export interface CrowLoss {
  readonly id: string;
  /** What the handlers say. */
  readonly canonical: string;
  /** What crow's peer gets instead. */
  readonly crow: string;
}

/** Everything that does not survive the way through crow and back. */
export const CROW_LOSSES = [
  {
    id: "stop-reason",
    canonical: "stop reasons other than end_turn and cancelled",
    crow: "end_turn",
  },
  {
    id: "prompt-error",
    canonical: "message and data of a prompt's -32603",
    crow: "stop_reason error, without a word about it",
  },
  {
    id: "content-kind",
    canonical: "a message or thought that is not text",
    crow: "its text, name and address, or kind, as text",
  },
  {
    id: "text-annotations",
    canonical: "annotations and _meta inside text content",
    crow: "the text alone",
  },
  {
    id: "update-kind",
    canonical:
      "updates of commands, mode, config options, session info, usage, notices, compaction, and of unknown kinds",
    crow: "nothing",
  },
  {
    id: "permission-cancelled",
    canonical: "a permission answered cancelled, or with an error",
    crow: "the option that rejects once, or option_id null",
  },
  {
    id: "permission-tool-call",
    canonical: "a tool call's further fields inside a permission request",
    crow: "a tool_call_update ahead of the question",
  },
  {
    id: "permission-title",
    canonical: "a permission request without a title",
    crow: "the tool's name, kind or call id as the title",
  },
  {
    id: "permission-id",
    canonical: "the id of a permission request",
    crow: "none; the answer is matched by session and tool call",
  },
  {
    id: "cancel-request",
    canonical: "$/cancel_request",
    crow: "nothing",
  },
  {
    id: "tool-call-defaults",
    canonical: "a tool_call without kind or status",
    crow: "kind other, status pending, said outright",
  },
  {
    id: "prompt-capabilities",
    canonical: "prompt capabilities left out",
    crow: "audio reads back as false, text is always there",
  },
] as const satisfies readonly CrowLoss[];

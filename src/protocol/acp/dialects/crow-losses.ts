/** Something that canonical ACP can express and crow cannot. */
export interface CrowLoss {
  readonly id: string;
  /** The value that the canonical handlers send. */
  readonly canonical: string;
  /** The value that the crow peer gets instead. */
  readonly crow: string;
}

/** Everything that does not survive a round trip through crow. */
export const CROW_LOSSES = [
  {
    id: "stop-reason",
    canonical: "stop reasons other than end_turn and cancelled",
    crow: "end_turn",
  },
  {
    id: "prompt-error",
    canonical: "message and data of error -32603 for a prompt",
    crow: "stop_reason error, without details",
  },
  {
    id: "content-kind",
    canonical: "a message or thought that is not text",
    crow: "text: its text, its name and URI, or its type",
  },
  {
    id: "text-annotations",
    canonical: "annotations and _meta inside text content",
    crow: "only the text",
  },
  {
    id: "update-kind",
    canonical:
      "updates about commands, mode, config options, session info, usage, notices and compaction, and unknown updates",
    crow: "nothing",
  },
  {
    id: "permission-cancelled",
    canonical: "a permission request answered with cancelled or an error",
    crow: "the reject_once option, or option_id null",
  },
  {
    id: "permission-tool-call",
    canonical: "further tool call fields in a permission request",
    crow: "a tool_call_update before the permission request",
  },
  {
    id: "permission-title",
    canonical: "a permission request without a title",
    crow: "the tool's name, kind or call id as title",
  },
  {
    id: "permission-id",
    canonical: "the id of a permission request",
    crow: "nothing; the answer is matched by session and tool call",
  },
  {
    id: "cancel-request",
    canonical: "$/cancel_request",
    crow: "nothing",
  },
  {
    id: "tool-call-defaults",
    canonical: "a tool_call without kind or status",
    crow: "explicit kind other and status pending",
  },
  {
    id: "prompt-capabilities",
    canonical: "omitted prompt capabilities",
    crow: "audio reads back as false; text is always present",
  },
] as const satisfies readonly CrowLoss[];

import type { LanguageModelV4CallOptions, SharedV4Warning } from "@ai-sdk/provider";

/** Settings of a model that ACP has no counterpart for. */
const SAMPLING = [
  "maxOutputTokens",
  "temperature",
  "stopSequences",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
] as const;

/** The part of a call that is ignored or only imitated, as warnings of the AI SDK. Pure. */
export function settingWarnings(options: LanguageModelV4CallOptions): SharedV4Warning[] {
  const { tools, toolChoice, reasoning, responseFormat } = options;
  const unsupported = (feature: string, details: string): SharedV4Warning => ({
    type: "unsupported",
    feature,
    details,
  });
  return [
    ...SAMPLING.filter((name) => options[name] !== undefined).map((name) =>
      unsupported(name, "An agent chooses the settings of its model itself."),
    ),
    ...(tools === undefined || tools.length === 0
      ? []
      : [unsupported("tools", "An agent uses its own tools. Pass yours as an MCP server.")]),
    ...(toolChoice === undefined || toolChoice.type === "auto"
      ? []
      : [unsupported("toolChoice", "An agent decides itself which tools to use.")]),
    ...(reasoning === undefined || reasoning === "provider-default"
      ? []
      : [unsupported("reasoning", "Set an option of the session instead, if the agent has one.")]),
    ...(hasHeaders(options.headers)
      ? [unsupported("headers", "An agent is not reached over HTTP.")]
      : []),
    ...(responseFormat?.type === "json" ? [jsonWarning] : []),
  ];
}

const jsonWarning: SharedV4Warning = {
  type: "compatibility",
  feature: "responseFormat",
  details: "The prompt asks the agent for JSON, which it may ignore.",
};

/** The AI SDK itself always adds a user agent. */
function hasHeaders(headers: LanguageModelV4CallOptions["headers"]): boolean {
  return Object.entries(headers ?? {}).some(
    ([name, value]) => value !== undefined && name.toLowerCase() !== "user-agent",
  );
}

/** Warns that instructions are sent as part of the prompt. */
export const SYSTEM_WARNING: SharedV4Warning = {
  type: "compatibility",
  feature: "system messages",
  details: "The instructions are part of the prompt.",
};

/** Warns that the agent gets the earlier messages as text. */
export const HISTORY_WARNING: SharedV4Warning = {
  type: "compatibility",
  feature: "earlier messages",
  details: "The agent does not know this conversation, so a new session gets it as text.",
};

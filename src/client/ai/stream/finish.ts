import type {
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { PlanEntry, Usage } from "../../../protocol/acp/index.ts";
import { type JsonObject, numberField, objectField } from "../../../base/index.ts";
import { toJsonObject } from "../json.ts";
import { type AcpPartMetadata, PROVIDER } from "../options.ts";

/** Values in `providerMetadata.dragoman` of a finished call. */
export interface AcpFinishMetadata extends AcpPartMetadata {
  /** The agent's stop reason, such as `end_turn`. */
  readonly stopReason: string;
  /** The last plan of the turn. */
  readonly plan?: readonly PlanEntry[] | undefined;
  /** How full the context of the session is, and what the session has cost. */
  readonly context?: Usage | undefined;
}

/** The AI SDK's word for the end of a turn. Pure. */
export function finishReason(stopReason: string): LanguageModelV4FinishReason {
  return { unified: UNIFIED[stopReason] ?? "other", raw: stopReason };
}

const UNIFIED: Readonly<Record<string, LanguageModelV4FinishReason["unified"] | undefined>> = {
  end_turn: "stop",
  max_tokens: "length",
  refusal: "content-filter",
};

/** The tokens of a turn, from the answer to its prompt. Agents that do not report them leave everything undefined. Pure. */
export function turnUsage(answer: JsonObject): LanguageModelV4Usage {
  const tokens = objectField(answer, "usage");
  if (!tokens) return UNKNOWN_USAGE;
  const count = (name: string): number | undefined => numberField(tokens, name);
  return {
    inputTokens: {
      total: count("inputTokens"),
      noCache: undefined,
      cacheRead: count("cachedReadTokens"),
      cacheWrite: count("cachedWriteTokens"),
    },
    outputTokens: {
      total: count("outputTokens"),
      text: undefined,
      reasoning: count("thoughtTokens"),
    },
    raw: toJsonObject(tokens),
  };
}

/** The usage of a turn that has not ended properly. */
export const UNKNOWN_USAGE: LanguageModelV4Usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The metadata of a finished call. Pure. */
export function finishMetadata(metadata: AcpFinishMetadata): SharedV4ProviderMetadata {
  return { [PROVIDER]: toJsonObject(metadata) };
}

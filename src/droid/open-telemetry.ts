import type { DroidHooks, TurnEndInfo } from "./hooks.ts";

/** The parts of a span of `@opentelemetry/api` that are used here. */
export interface OpenTelemetrySpan {
  /** Adds attributes to the span. */
  setAttributes(attributes: Record<string, string | number | string[]>): unknown;
  /** Sets whether the span failed. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Ends the span. */
  end(): void;
}

/** The parts of `@opentelemetry/api` that are used here. */
export interface OpenTelemetryApi<Context, Span extends OpenTelemetrySpan> {
  /** Makes tracers, and connects spans with contexts. */
  readonly trace: {
    /** The tracer of an instrumentation. */
    getTracer(name: string): {
      /** Starts a span. */
      startSpan(
        name: string,
        options: {
          /** Whether the span is a call of something else. */
          kind: number;
          /** The attributes of the span. */
          attributes: Record<string, string>;
        },
        context: Context,
      ): Span;
    };
    /** A context in which the span is the parent. */
    setSpan(context: Context, span: Span): Context;
  };
  /** Knows the current context. */
  readonly context: {
    /** The current context. */
    active(): Context;
  };
}

/** `SpanKind` and `SpanStatusCode` of the API, whose values are part of its specification. */
const INTERNAL = 0;
const CLIENT = 2;
const FAILED = 2;

const PROVIDER = { "gen_ai.provider.name": "factory" };

/**
 * Hooks that make spans with OpenTelemetry: one `invoke_agent` span per turn, and in it one
 * `execute_tool` span per tool call, named after the semantic conventions for generative AI. The parent
 * of a turn is the span that is active when the prompt is sent. The spans contain no prompts, answers
 * or inputs.
 *
 * Pass the module: `openTelemetryHooks(await import("@opentelemetry/api"))`. Without a tracer provider
 * of the application, OpenTelemetry discards the spans.
 */
export function openTelemetryHooks<Context, Span extends OpenTelemetrySpan>(
  api: OpenTelemetryApi<Context, Span>,
): DroidHooks {
  const tracer = api.trace.getTracer("dragoman");
  const turns = new Map<string, { readonly span: Span; readonly context: Context }>();
  const calls = new Map<string, Span>();
  return {
    onTurnStart: ({ turnId, sessionId, model, version }) => {
      const attributes = {
        ...PROVIDER,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "Droid",
        "gen_ai.conversation.id": sessionId,
        ...(version.cli !== undefined && { "gen_ai.agent.version": version.cli }),
        ...(model !== undefined && { "gen_ai.request.model": model }),
      };
      const parent = api.context.active();
      const span = tracer.startSpan("invoke_agent Droid", { kind: CLIENT, attributes }, parent);
      turns.set(turnId, { span, context: api.trace.setSpan(parent, span) });
    },
    onTurnEnd: (info) => {
      const span = turns.get(info.turnId)?.span;
      turns.delete(info.turnId);
      if (!span) return;
      span.setAttributes(endAttributes(info));
      const failure = failureOf(info);
      if (failure) {
        span.setAttributes({ "error.type": failure.type });
        span.setStatus({ code: FAILED, message: failure.message });
      }
      span.end();
    },
    onToolStart: ({ turnId, sessionId, toolCallId, name }) => {
      const attributes = {
        ...PROVIDER,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.conversation.id": sessionId,
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": toolCallId,
        "gen_ai.tool.type": "function",
      };
      const context = turns.get(turnId)?.context ?? api.context.active();
      const options = { kind: INTERNAL, attributes };
      calls.set(
        `${turnId} ${toolCallId}`,
        tracer.startSpan(`execute_tool ${name}`, options, context),
      );
    },
    onToolEnd: ({ turnId, toolCallId, outcome }) => {
      const key = `${turnId} ${toolCallId}`;
      const span = calls.get(key);
      calls.delete(key);
      if (!span) return;
      if (outcome !== "ok") {
        span.setAttributes({ "error.type": outcome });
        span.setStatus({ code: FAILED });
      }
      span.end();
    },
  };
}

function endAttributes({ result }: TurnEndInfo): Record<string, string | number | string[]> {
  if (!result) return {};
  const { usage, stopReason } = result;
  const cacheRead = usage?.cachedReadTokens ?? 0;
  const cacheWrite = usage?.cachedWriteTokens ?? 0;
  return {
    "gen_ai.response.finish_reasons": [stopReason],
    ...(usage && {
      // The conventions count the tokens from the cache too, Droid does not.
      "gen_ai.usage.input_tokens": usage.inputTokens + cacheRead + cacheWrite,
      "gen_ai.usage.output_tokens": usage.outputTokens,
      "gen_ai.usage.cache_read.input_tokens": cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": cacheWrite,
    }),
  };
}

/** A cancelled turn has not failed. Messages of failures may quote prompts, so only their kind is used. */
function failureOf({ result, error }: TurnEndInfo): { type: string; message: string } | undefined {
  if (error) return { type: error.name, message: "the turn was not finished" };
  const reason = result?.stopReason ?? "completed";
  if (reason === "completed" || reason === "cancelled") return undefined;
  return { type: reason, message: `the turn ended with "${reason}"` };
}

import * as api from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, it } from "vitest";
import {
  combinedHooks,
  type DroidHooks,
  ObservedTurn,
  type TurnEndInfo,
} from "../../src/droid/hooks.ts";
import { openTelemetryHooks } from "../../src/droid/open-telemetry.ts";

const info = {
  turnId: "t1",
  sessionId: "s1",
  model: "m",
  version: { cli: "0.225.2", protocol: undefined },
};
const result: NonNullable<TurnEndInfo["result"]> = {
  messageId: "t1",
  stopReason: "completed",
  failure: undefined,
  usage: {
    inputTokens: 10,
    outputTokens: 5,
    totalTokens: 20,
    thoughtTokens: 0,
    cachedReadTokens: 3,
    cachedWriteTokens: 2,
  },
  credits: undefined,
  sessionUsage: undefined,
  sessionId: "s1",
};

function recording(): { hooks: DroidHooks; spans: () => ReadableSpan[] } {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const trace = {
    getTracer: (name: string): api.Tracer => provider.getTracer(name),
    setSpan: (context: api.Context, span: api.Span): api.Context =>
      api.trace.setSpan(context, span),
  };
  const hooks = openTelemetryHooks({ context: api.context, trace });
  return { hooks, spans: () => exporter.getFinishedSpans() };
}

it("accepts the module as it is", () => {
  expect(openTelemetryHooks(api)).toHaveProperty("onTurnStart");
});

it("makes a span for a turn, with the tokens of its result", () => {
  const { hooks, spans } = recording();
  new ObservedTurn(hooks, info).end(result);
  expect(spans()).toHaveLength(1);
  expect(spans()[0]).toMatchObject({
    name: "invoke_agent Droid",
    kind: api.SpanKind.CLIENT,
    status: { code: api.SpanStatusCode.UNSET },
    attributes: {
      "gen_ai.provider.name": "factory",
      "gen_ai.conversation.id": "s1",
      "gen_ai.usage.input_tokens": 15,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.response.finish_reasons": ["completed"],
    },
  });
});

it.each<[string, typeof result | Error, string | undefined]>([
  ["that failed", { ...result, stopReason: "rate_limit" }, "rate_limit"],
  ["that was cancelled", { ...result, stopReason: "cancelled" }, undefined],
  ["whose Droid exited", new TypeError("with a secret"), "TypeError"],
])("marks a turn %s", (_, outcome, type) => {
  const { hooks, spans } = recording();
  new ObservedTurn(hooks, info).end(outcome);
  const [span] = spans();
  expect(span?.attributes["error.type"]).toBe(type);
  expect(span?.status.code).toBe(type === undefined ? 0 : api.SpanStatusCode.ERROR);
  expect(JSON.stringify([span?.attributes, span?.status])).not.toContain("secret");
});

it("ends the span of a tool call once, before that of its turn", () => {
  const { hooks, spans } = recording();
  const turn = new ObservedTurn(hooks, info);
  const call = {
    type: "tool_call",
    id: "c1",
    name: "Execute",
    input: {},
    isComplete: false,
  } as const;
  turn.event({ ...call, phase: undefined, messageId: undefined });
  turn.event({ ...call, phase: "executing", messageId: undefined });
  turn.end(result);
  const [tool, whole] = spans();
  expect(tool).toMatchObject({
    name: "execute_tool Execute",
    kind: api.SpanKind.INTERNAL,
    attributes: { "gen_ai.tool.call.id": "c1", "error.type": "unfinished" },
  });
  expect(tool?.parentSpanContext?.spanId).toBe(whole?.spanContext().spanId);
  expect(spans()).toHaveLength(2);
});

it("combines the hooks of several observers", () => {
  const seen: string[] = [];
  const observer = (name: string): DroidHooks => ({
    onTurnStart: () => seen.push(`${name} turn`),
    onToolStart: ({ toolCallId }) => seen.push(`${name} ${toolCallId}`),
    onToolEnd: ({ outcome }) => seen.push(`${name} ${outcome}`),
    onTurnEnd: () => seen.push(`${name} end`),
  });
  const turn = new ObservedTurn(combinedHooks(observer("a"), {}, observer("b")), info);
  const call = { type: "tool_call", id: "c1", name: "LS", input: {}, isComplete: true } as const;
  turn.event({ ...call, phase: undefined, messageId: undefined });
  turn.event({ type: "tool_result", id: "c1", messageId: undefined, content: "", isError: false });
  turn.end(result);
  expect(seen).toEqual(["a turn", "b turn", "a c1", "b c1", "a ok", "b ok", "a end", "b end"]);
});

/** Turns the history of a session into updates that show it again. Pure and total. */
import type { SessionUpdate } from "../../../protocol/acp/index.ts";
import {
  type HistoryPrompt,
  type HistoryStep,
  type HistoryTurn,
  readPlan,
} from "../../../droid/index.ts";
import { diffContent, storedChanges } from "../translate/diffs.ts";
import { specContent, toolOutcome } from "../translate/tool-results.ts";
import type { ToolIds } from "../turn/tool-relay.ts";
import { SPEC_TOOL, TODO_TOOL, describeTool, type ToolContext } from "../translate/tool-names.ts";
import { specPlanUpdates, toPlan } from "../translate/plans.ts";
import { thoughtId } from "../turn/event-relay.ts";

interface ReplayContext extends ToolContext {
  /** Whether the client supports plans as Markdown. */
  readonly markdownPlans: boolean;
}

/** All updates of a history, in order. Leaves out notices. */
export function* replay(
  turns: readonly HistoryTurn[],
  context: ReplayContext,
  toolIds: ToolIds,
): Generator<SessionUpdate, void> {
  for (const { prompt, steps } of turns) {
    if (prompt) yield* promptUpdates(prompt);
    for (const step of steps) yield* stepUpdates(step, context, toolIds);
  }
}

function* promptUpdates(prompt: HistoryPrompt): Generator<SessionUpdate, void> {
  const { messageId, text, images, files } = prompt;
  const chunk = (
    content: Extract<SessionUpdate, { sessionUpdate: "user_message_chunk" }>["content"],
  ) => ({ sessionUpdate: "user_message_chunk", messageId, content }) as const;
  if (text !== "") yield chunk({ type: "text", text });
  for (const { data, mediaType } of images)
    yield chunk({ type: "image", data, mimeType: mediaType ?? "image/png" });
  for (const { name } of files) yield chunk({ type: "text", text: `[${name ?? "a file"}]` });
}

function* stepUpdates(
  step: HistoryStep,
  context: ReplayContext,
  toolIds: ToolIds,
): Generator<SessionUpdate, void> {
  switch (step.type) {
    case "text": {
      const content = { type: "text", text: step.text } as const;
      yield { sessionUpdate: "agent_message_chunk", messageId: step.messageId, content };
      return;
    }
    case "thinking": {
      const content = { type: "text", text: step.text } as const;
      const messageId = thoughtId(step.messageId);
      yield { sessionUpdate: "agent_thought_chunk", messageId, content };
      return;
    }
    case "tool_call":
      yield* toolUpdates(step, context, toolIds);
      return;
    case "notice":
      return;
  }
}

function* toolUpdates(
  { toolUse, result }: Extract<HistoryStep, { type: "tool_call" }>,
  context: ReplayContext,
  toolIds: ToolIds,
): Generator<SessionUpdate, void> {
  const { id, name, input } = toolUse;
  if (name === TODO_TOOL) {
    const entries = readPlan(input);
    if (entries) yield { sessionUpdate: "plan", entries: toPlan(entries) };
    return;
  }
  const toolCallId = toolIds.next(id);
  const { title, kind, locations } = describeTool(name, input, context);
  yield {
    sessionUpdate: "tool_call",
    toolCallId,
    title,
    name,
    kind,
    status: "pending",
    locations: [...locations],
    rawInput: input,
    ...(name === SPEC_TOOL ? { content: [...specContent(input)] } : {}),
  };
  // A call has no result if Droid ended before it finished.
  const outcome = toolOutcome(name, input, result ?? { content: "", isError: true });
  const changes =
    outcome.status === "completed"
      ? storedChanges(name, input, context.cwd, result?.content ?? "")
      : [];
  yield {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: outcome.status,
    content: [...diffContent(changes), ...outcome.content],
    ...(result === undefined ? {} : { rawOutput: result.content }),
  };
  if (name === SPEC_TOOL && outcome.status === "completed" && context.markdownPlans)
    yield* specPlanUpdates(input);
}

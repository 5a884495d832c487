import { defect, variant } from "./context.mjs";
import { askModel } from "./model.mjs";
import { call, RpcError } from "./rpc.mjs";
import { Failure, prepare, tools } from "./tools.mjs";

const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
  { optionId: "never", name: "Never", kind: "reject_always" },
];

/** The start of a JPEG is enough to be one. */
const OTHER_IMAGE = { mimeType: "image/jpeg", data: "/9j/4AAQSkZJRgABAQAAAQABAAA=" };
const STOP_REASONS = { length: "max_tokens", content_filter: "refusal" };

/** Answers one prompt. Returns the stop reason, or throws. */
export async function runTurn(context, blocks) {
  const { session, signal } = context;
  const content = blocks.map(modelPart);
  session.messages.push({ role: "user", content });
  for (const block of blocks)
    session.record({ sessionUpdate: "user_message_chunk", content: block });
  const [first] = blocks;
  if (first?.type === "text" && first.text.trim() === "/help") return answerHelp(context);
  if (!context.wasGreeted) await greet(context);
  await session.servers.ready;
  for (;;) {
    signal.throwIfAborted();
    const answer = await patient(() =>
      askModel({
        model: session.model,
        messages: session.messages,
        tools: [...tools(), ...session.servers.tools()].map((tool) => ({
          type: "function",
          function: tool,
        })),
        signal,
        onText: (part) => {
          context.started();
          return say(session, "agent_message_chunk", part);
        },
        onThought: (part) =>
          say(
            session,
            defect("thoughts-as-text") ? "agent_message_chunk" : "agent_thought_chunk",
            part,
          ),
      }),
    );
    context.started();
    const calls = answer.calls.map(({ id, name, arguments: text }) => ({
      id,
      type: "function",
      function: { name, arguments: text },
    }));
    session.messages.push({
      role: "assistant",
      content: answer.text,
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    });
    if (variant("asks-again") && answer.finish in STOP_REASONS) {
      session.messages.push({ role: "user", content: "Continue." });
      continue;
    }
    if (defect("filtered-is-error") && answer.finish === "content_filter")
      throw new RpcError(-32603, "the answer was filtered");
    if (calls.length === 0) {
      const reason = STOP_REASONS[answer.finish] ?? "end_turn";
      return defect("always-end-turn") ? "end_turn" : reason;
    }
    const worked = defect("one-call-per-step") ? answer.calls.slice(0, 1) : answer.calls;
    for (const made of worked) {
      const result = await runTool(context, made);
      session.messages.push({ role: "tool", tool_call_id: made.id, content: result });
    }
  }
}

const TRIES = 3;

/** With `gives-up-silently`, the agent tries again, and then takes the failure for an empty answer. */
async function patient(ask) {
  if (!defect("gives-up-silently")) return ask();
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!error.message.startsWith("the model service")) throw error;
    }
  }
  return { text: "", calls: [], finish: "stop" };
}

function say(session, sessionUpdate, text) {
  return session.update({ sessionUpdate, content: { type: "text", text } });
}

async function answerHelp({ session }) {
  if (defect("slash-hangs")) await new Promise(() => {});
  await say(session, "agent_message_chunk", "There is one command: /help.");
  return "end_turn";
}

/** After this many refusals, an agent with `custom-required` gives up. */
const MAX_REFUSALS = 3;

/** A custom request. The client need not know it. */
async function greet(context) {
  context.wasGreeted = true;
  try {
    await call("_example/greet", { sessionId: context.session.id }, context.signal);
  } catch (error) {
    if (context.signal.aborted) throw error;
    context.session.refusals += 1;
    if (defect("custom-required") && context.session.refusals >= MAX_REFUSALS) throw error;
  }
}

function modelPart(block) {
  const isDropped = defect("drops-content") && block.type !== "text";
  if (isDropped) return { type: "text", text: "(something)" };
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image": {
      if (defect("empties-images")) block = { ...block, data: "" };
      if (variant("encodes-images-anew")) block = { ...block, ...OTHER_IMAGE };
      const url = `data:${block.mimeType};base64,${block.data}`;
      return { type: "image_url", image_url: { url } };
    }
    case "audio":
      return { type: "input_audio", input_audio: { data: block.data, format: "wav" } };
    case "resource_link":
      return { type: "text", text: `[${block.name}](${block.uri})` };
    case "resource":
      return { type: "text", text: `${block.resource.uri}\n${block.resource.text ?? ""}` };
    default:
      throw new RpcError(-32602, "unknown type of content");
  }
}

async function runTool(context, { id, name, arguments: json }) {
  const { session, signal } = context;
  const isHidden = defect("unreported-tools");
  const show = async (sessionUpdate, fields) => {
    if (!isHidden) await session.update({ sessionUpdate, toolCallId: id, ...fields });
  };
  const end = async (status, result) => {
    const shown = defect("failed-is-completed") ? "completed" : status;
    const content = [{ type: "content", content: { type: "text", text: result.slice(0, 2000) } }];
    const keeps = name === "write" || (name === "shell" && context.client.terminal === true);
    await show("tool_call_update", { status: shown, ...(keeps ? {} : { content }) });
    return result;
  };
  let wasShown = false;
  try {
    const args = parseArguments(json);
    const { shown, asks, run } = await prepare(context, name, args);
    await show("tool_call", { title: `Use ${name}`, status: "pending", rawInput: args, ...shown });
    wasShown = true;
    if (asks && defect("acts-before-answer")) await run(() => {});
    if (asks && !(await isAllowed(context, id, name, shown))) {
      if (defect("leaves-calls-open")) return "denied";
      return await end("failed", "denied by the user");
    }
    await show("tool_call_update", { status: "in_progress" });
    const result = await run((fields) => show("tool_call_update", fields));
    return await end("completed", result);
  } catch (error) {
    if (!wasShown)
      await show("tool_call", { title: `Use ${name}`, status: "pending", kind: "other" });
    if (signal.aborted) {
      if (!defect("leaves-calls-open-on-cancel")) await end("failed", "cancelled");
      throw error;
    }
    const isLocal = error instanceof Failure || error instanceof RpcError;
    const isFatal = error instanceof RpcError && defect("client-errors-end-turn");
    if (!isLocal || isFatal) {
      await end("failed", error.message);
      throw error;
    }
    return await end("failed", error.message);
  }
}

function parseArguments(json) {
  try {
    return JSON.parse(json);
  } catch {
    throw defect("bad-arguments-end-turn")
      ? new Error("bad arguments")
      : new Failure("the arguments are not JSON");
  }
}

async function isAllowed({ session, signal }, toolCallId, name, shown) {
  if (session.allowed.has(name)) return true;
  if (session.denied?.has(name)) return false;
  const options = defect("same-option-ids")
    ? OPTIONS.map((option) => ({ ...option, optionId: "yes" }))
    : OPTIONS;
  const toolCall = { toolCallId, title: `Use ${name}`, ...shown };
  let answer;
  try {
    answer = await call(
      "session/request_permission",
      { sessionId: session.id, toolCall, options },
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw error;
    return defect("error-is-allowed");
  }
  const { outcome, optionId } = answer?.outcome ?? {};
  const kind = OPTIONS.find((option) => option.optionId === optionId)?.kind;
  if (defect("rejected-runs") && outcome === "selected") return true;
  if (outcome !== "selected" || kind === undefined)
    return defect("unknown-is-allowed") && outcome !== "cancelled";
  if (defect("only-first-option")) return kind === "allow_once";
  if (kind === "allow_always" || defect("once-is-always")) session.allowed.add(name);
  if (kind === "reject_always") (session.denied ??= new Set()).add(name);
  return kind.startsWith("allow");
}

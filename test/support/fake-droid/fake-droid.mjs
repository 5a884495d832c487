// A fake Droid that replays a transcript, or imitates versions that are no longer available.
//
// Start it through one of the files named after a version. FAKE_DROID_TRANSCRIPT is the path of a
// capture to replay. Without it, the text of a prompt decides what happens. Versions before 0.99
// behave as the documents on 0.36.2 and 0.57.14 describe them.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const version = globalThis.fakeDroidVersion ?? "0.57.14";
const transcript = process.env.FAKE_DROID_TRANSCRIPT;
const protocol = { "0.225.2": "1.220.0", "0.99.0": "1.15.0" }[version];
const isNew = version === "0.225.2";
const isAncient = protocol === undefined;

const head = {
  jsonrpc: "2.0",
  factoryApiVersion: "1.0.0",
  ...(protocol ? { factoryProtocolVersion: protocol } : {}),
};
const INVALID = { code: -32600, message: "Invalid request format" };
const NO_SESSION = {
  code: -32603,
  message: "No active session. Call initialize_session or load_session first.",
};
const LEGACY_LEVELS = ["normal", "spec", "auto-low", "auto-medium", "auto-high"];

function write(frame) {
  process.stdout.write(`${JSON.stringify({ ...head, ...frame })}\n`);
}
const respond = (id, result) => write({ type: "response", id, result });
const respondError = (id, error) => write({ type: "response", id, error });
function notify(notification) {
  write({ type: "notification", method: "droid.session_notification", params: { notification } });
}
const state = (newState) => notify({ type: "droid_working_state_changed", newState });

if (process.argv[2] === "--version") {
  process.stdout.write(`${version}\n`);
  process.exit(0);
}

let sessionId;
let settings = { modelId: "default", reasoningEffort: "none" };
let turn;
let count = 0;
const questions = new Map();
/** Sends what is still missing of a turn, before the next barrier is answered. */
let beforeBarrier;

function delta(messageId, textDelta) {
  notify({ type: "assistant_text_delta", messageId, blockIndex: 0, textDelta });
}

function message(id, text) {
  const content = [{ type: "text", text }];
  notify({ type: "create_message", message: { id, role: "assistant", content, parentId: "p" } });
}

function finish(reason = "completed") {
  if (isNew) notify({ type: "agent_turn_completed", reason, turnId: turn.messageId });
  turn = undefined;
  state("idle");
}

function ask(method, params, onAnswer) {
  const id = `question-${++count}`;
  questions.set(id, onAnswer);
  state("waiting_for_tool_confirmation");
  write({ type: "request", id, method, params });
}

/** What each prompt does, by its text. */
const scripts = {
  "early idle, then the message"(id) {
    delta(id, "Hello ");
    delta(id, "world");
    state("idle");
    beforeBarrier = () => message(id, "Hello world");
  },
  "early idle, no message"(id) {
    delta(id, "Hello");
    state("idle");
  },
  "early idle, nothing streamed"(id) {
    state("idle");
    message(id, "Hello world");
  },
  "everything twice"(id) {
    const toolUse = { type: "tool_use", id: `call-${id}`, name: "Read", input: { file_path: "a" } };
    const result = { type: "tool_result", toolUseId: toolUse.id, messageId: "r", content: "text" };
    for (let round = 0; round < 2; round++) {
      state("streaming_assistant_message");
      notify({ type: "create_message", message: { id, role: "assistant", content: [toolUse] } });
    }
    for (let round = 0; round < 2; round++) notify(result);
    for (let round = 0; round < 2; round++) message(`${id}-answer`, "Done");
    state("idle");
    state("idle");
    turn = undefined;
  },
  "ask me"(id) {
    const question = { index: 1, topic: "Color", question: "Which?", options: ["Red", "Blue"] };
    ask("droid.ask_user", { toolCallId: "call", questions: [question] }, (result) => {
      // With plain strings, 0.57.14 waits forever.
      if (result?.answers?.some((answer) => typeof answer !== "object")) return;
      message(id, result.cancelled ? "declined" : `chose ${result.answers[0].answer}`);
      finish();
    });
  },
  "may I"(id) {
    const toolUse = { type: "tool_use", id: "call", name: "Execute", input: { command: "ls" } };
    const details = { type: "exec", fullCommand: "ls" };
    const options = ["proceed_once", "cancel"].map((value) => ({ value, label: value }));
    const toolUses = [{ toolUse, confirmationType: "exec", details }];
    ask("droid.request_permission", { toolUses, options }, (result) => {
      message(id, `answered ${JSON.stringify(result)}`);
      finish();
    });
  },
  "unknown request"(id) {
    ask("droid.new_method", {}, (_, error) => {
      message(id, `error ${error?.code}`);
      finish();
    });
  },
  "which session"(id) {
    message(id, sessionId);
    finish();
  },
  "wait for the interrupt"(id) {
    delta(id, "waiting");
  },
  "ignore the interrupt"(id) {
    turn.ignoresInterrupts = true;
    delta(id, "ignoring");
  },
  "discard it"() {
    notify({ type: "queued_messages_discarded", text: "discard it" });
    turn = undefined;
    state("idle");
  },
  "late error"() {
    respondError(turn.requestId, { code: -32603, message: "broken after all" });
    turn = undefined;
  },
  die(id) {
    delta(id, "dying");
    process.stderr.write("a last message\n", () => process.exit(7));
  },
  "die while asking"() {
    ask("droid.ask_user", { toolCallId: "call", questions: [] }, () => {});
    process.stdout.write("", () => process.exit(9));
  },
  noise(id) {
    process.stdout.write("a warning that is not a frame\n\n[1,2]\n");
    message(id, "after the noise");
    finish();
  },
};

function prompt(id, params) {
  if (sessionId === undefined) {
    // Droid acknowledges the prompt, then sends an error with the same id.
    respond(id, {});
    return respondError(id, NO_SESSION);
  }
  if (typeof params.text !== "string") return respondError(isNew ? id : null, INVALID);
  respond(id, {});
  const messageId = isNew ? params.messageId : `user-${++count}`;
  turn = { requestId: id, messageId };
  state("streaming_assistant_message");
  const content = [{ type: "text", text: params.text }];
  notify({
    type: "create_message",
    message: { id: messageId, role: "user", content },
    requestId: id,
  });
  const script = scripts[params.text];
  const answerId = `answer-${++count}`;
  if (script) return script(answerId);
  delta(answerId, "You said ");
  delta(answerId, params.text);
  message(answerId, `You said ${params.text}`);
  finish();
}

function changeSettings(id, params) {
  const level = params.autonomyLevel;
  if (isAncient && level !== undefined && !LEGACY_LEVELS.includes(level)) {
    respondError(null, INVALID);
    return false;
  }
  for (const key of ["modelId", "reasoningEffort", "autonomyLevel", "interactionMode"])
    if (params[key] !== undefined) settings = { ...settings, [key]: params[key] };
  // Droid silently ignores an unknown model.
  if (settings.modelId === "no-such-model") settings = { ...settings, modelId: "default" };
  notify({ type: "settings_updated", settings });
  return true;
}

function sessionResult(messages) {
  return { session: { messages }, settings, availableModels: [{ id: "default" }] };
}

function handle({ id, method, params }) {
  switch (method) {
    case "droid.initialize_session":
      if (isAncient && params.autonomyLevel === undefined)
        settings = { ...settings, autonomyLevel: "spec" };
      if (!changeSettings(id, params)) return;
      sessionId = params.sessionId ?? `session-${++count}`;
      return respond(id, { sessionId, ...sessionResult([]), gitRepo: { repoName: "repo" } });
    case "droid.load_session": {
      if (isAncient && sessionId === undefined) return respondError(id, NO_SESSION);
      if (params.sessionId === "unknown")
        return respondError(id, { code: -32004, message: "Session not found" });
      sessionId = params.sessionId;
      const user = { id: "1", role: "user", content: [{ type: "text", text: "before" }] };
      return respond(id, { ...sessionResult([user]), isAgentLoopInProgress: false });
    }
    case "droid.fork_session": {
      const newSessionId = `fork-of-${sessionId}`;
      // 0.99 and 0.117 silently switch to the copy.
      if (!isNew) sessionId = newSessionId;
      return respond(id, { newSessionId });
    }
    case "droid.add_user_message":
      return prompt(id, params);
    case "droid.update_session_settings":
      return changeSettings(id, params) && respond(id, {});
    case "droid.interrupt_session":
      respond(id, {});
      if (turn && !turn.ignoresInterrupts) finish("cancelled");
      return;
    case "droid.list_mcp_servers":
      beforeBarrier?.();
      beforeBarrier = undefined;
      return isAncient ? respondError(null, INVALID) : respond(id, { servers: [] });
    default:
      return isNew
        ? respondError(id, { code: -32601, message: `Unknown method: ${method}` })
        : respondError(null, INVALID);
  }
}

/** Replays a capture: sends Droid's frames until the next frame of the client is due. */
function player(path) {
  const entries = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const ids = new Map();
  let at = 0;
  const rename = (frame) =>
    JSON.parse(
      JSON.stringify(frame, (key, value) =>
        (key === "id" || key === "requestId") && ids.has(value) ? ids.get(value) : value,
      ),
    );
  const play = () => {
    while (at < entries.length && entries[at].dir === "out")
      process.stdout.write(`${JSON.stringify(rename(entries[at++].frame))}\n`);
  };
  play();
  return (frame) => {
    const due = entries[at]?.frame;
    if (due && due.method === frame.method) {
      if (frame.method) ids.set(due.id, frame.id);
      at++;
      return play();
    }
    // Not in the capture: the start of a session, or a barrier.
    if (frame.method === "droid.initialize_session")
      return respond(frame.id, { sessionId: "replayed", ...sessionResult([]) });
    if (frame.method) respond(frame.id, {});
  };
}

const play = transcript === undefined ? undefined : player(transcript);
if (!isAncient && !play) notify({ type: "mcp_status_changed", servers: [] });
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const frame = JSON.parse(line);
    if (play) return play(frame);
    if (frame.type === "request") return handle(frame);
    const onAnswer = questions.get(frame.id);
    questions.delete(frame.id);
    onAnswer?.(frame.result, frame.error);
  })
  .on("close", () => process.exit(0));

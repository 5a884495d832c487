// An agent of ACP v2, built with the official SDK. The first word of a prompt chooses what it does.
import * as acp from "@agentclientprotocol/sdk/experimental/v2";
import process from "node:process";
import { Readable, Writable } from "node:stream";

const { methods } = acp;
const cwd = process.cwd();
const base64 = (text) => Buffer.from(text).toString("base64");
const text = (value) => ({ type: "text", text: value });

/** The conversations by session. The user's and the agent's messages are replayed on request. */
const sessions = new Map();
let nextSession = 1;
let nextMessage = 1;
const newId = (kind) => `${kind}-${nextMessage++}`;

/** One session. Its updates are sent one after the other. */
class Session {
  constructor(id, client) {
    this.id = id;
    this.client = client;
    this.history = [];
    this.background = [];
    this.mode = "ask";
    this.controller = new AbortController();
  }

  update(update) {
    return this.client.notify(methods.client.session.update, { sessionId: this.id, update });
  }

  state(state, fields = {}) {
    const { background } = this;
    return this.update({ sessionUpdate: "state_update", state, background, ...fields });
  }

  async say(value, messageId = newId("agent")) {
    this.history.push({ sessionUpdate: "agent_message", messageId, content: [text(value)] });
    await this.update({
      sessionUpdate: "agent_message_chunk",
      messageId,
      content: text(value),
    });
  }

  tool(toolCallId, fields) {
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }

  terminal(terminalId, fields) {
    return this.update({ sessionUpdate: "terminal_update", terminalId, ...fields });
  }

  output(terminalId, data) {
    return this.update({ sessionUpdate: "terminal_output_chunk", terminalId, data });
  }

  async permission(params) {
    const answer = await this.client.request(
      methods.client.session.requestPermission,
      { sessionId: this.id, options: OPTIONS, ...params },
      { cancellationSignal: this.controller.signal, stopWaitingOnCancel: true },
    );
    const { outcome } = answer;
    return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
  }

  /** Resolves when the work is cancelled. */
  cancelled() {
    const { signal } = this.controller;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", resolve, { once: true });
    });
  }

  /** Runs work in the foreground, from running to idle. */
  async work(turn, words) {
    this.controller = new AbortController();
    await this.state("running");
    try {
      const stopReason = (await turn(this, words)) ?? "end_turn";
      const { aborted } = this.controller.signal;
      await this.state("idle", { stopReason: aborted ? "cancelled" : stopReason });
    } catch (error) {
      if (this.controller.signal.aborted) return this.state("idle", { stopReason: "cancelled" });
      const { code = -32603, message } = error;
      return this.state("idle", { stopReason: "error", error: { code, message } });
    }
  }
}

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

const DIFF = {
  type: "diff",
  changes: [{ operation: "modify", path: `${cwd}/a.txt` }],
  patch: {
    format: "git_patch",
    text: `diff --git ${cwd}/a.txt ${cwd}/a.txt\n--- ${cwd}/a.txt\n+++ ${cwd}/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n`,
  },
};

/** The turns by name. Each returns its stop reason, or nothing for the end of the turn. */
const turns = {
  hello: async (session) => {
    const messageId = newId("agent");
    await session.say("Hello", messageId);
    await session.say(", world", messageId);
  },
  // A tool with a terminal, whose output is split inside a character and tries to set the title.
  async run(session) {
    await session.terminal("term-1", { command: "npm test", cwd });
    const content = [{ type: "terminal", terminalId: "term-1" }];
    await session.tool("call-1", { title: "Run the tests", kind: "execute", content });
    await session.tool("call-1", { status: "in_progress" });
    const bytes = Buffer.from(
      "one\r\n10%\r100%\n\u001b]0;title\u0007\u001b[32m\u2713 passed\u001b[0m\n",
    );
    const at = bytes.indexOf(0xe2) + 1;
    await session.output("term-1", bytes.subarray(0, at).toString("base64"));
    await session.output("term-1", bytes.subarray(at).toString("base64"));
    await session.terminal("term-1", { exitStatus: { exitCode: 0 } });
    await session.tool("call-1", { status: "completed" });
    await session.say("It works.");
  },
  async long(session) {
    const lines = Array.from({ length: 50 }, (_, n) => `line ${n}\n`).join("");
    await session.terminal("term-l", { command: "seq", output: { data: base64(lines) } });
    await session.terminal("term-l", { exitStatus: { exitCode: 3 } });
  },
  async edit(session) {
    const toolCall = { toolCallId: "call-e", title: "Edit a.txt", kind: "edit", content: [DIFF] };
    const answer = await session.permission({
      title: "May I change one line?",
      description: "It is safe.\n  path: /etc/passwd\n\u001b[2Jreally",
      subject: { type: "tool_call", toolCall },
    });
    await session.tool("call-e", { status: answer === "once" ? "completed" : "cancelled" });
    await session.say(answer);
  },
  async command(session) {
    const subject = { type: "command", command: "rm -rf build", cwd };
    await session.say(await session.permission({ title: "Clean up?", subject }));
  },
  async plan(session) {
    const entry = (content, status) => ({ content, priority: "high", status });
    const entries = [entry("look", "completed"), entry("change", "in_progress")];
    await session.update({
      sessionUpdate: "plan_update",
      plan: { type: "items", planId: "p1", entries },
    });
    await session.say("Planned.");
  },
  async error() {
    throw new acp.RequestError(-32050, "the model exploded");
  },
  async refuse(session) {
    await session.say("No.");
    return "refusal";
  },
  async odd(session) {
    await session.say("Odd.");
    return "_tired";
  },
  async hang(session) {
    await session.say("waiting");
    await session.cancelled();
  },
  async ignore(session) {
    await session.say("waiting");
    await new Promise(() => {});
  },
  // Asks, and is blocked until the answer.
  async block(session) {
    await session.state("requires_action");
    const answer = await session.permission({ title: "Go on?" });
    await session.state("running");
    await session.say(answer);
  },
  // Leaves a command running in the background.
  async background(session) {
    await session.terminal("term-b", { command: "npm run dev", cwd });
    session.background = [{ type: "terminal", terminalId: "term-b" }];
    await session.say("It runs.");
  },
  // Ends, and then works by itself: `later` once, `later ask` with a question, `later hang` until it is
  // cancelled. With a number at the end, it starts after that many milliseconds.
  async later(session, [how, ms = "0"]) {
    await session.say("Later.");
    setTimeout(() => void session.work(alone[how] ?? alone.plain), Number(ms));
  },
  async mode(session) {
    await session.say(session.mode);
  },
  async caps(session) {
    await session.say(JSON.stringify(clientCapabilities));
  },
};

/** The work that it starts by itself. */
const alone = {
  plain: async (session) => {
    const messageId = newId("agent");
    await session.say("By myself: ", messageId);
    await session.say("done", messageId);
  },
  async ask(session) {
    await session.say(`asked: ${await session.permission({ title: "While you wait?" })}`);
  },
  async hang(session) {
    const messageId = newId("agent");
    await session.say("working by myself", messageId);
    await session.cancelled();
    await session.say(" and stopping", messageId);
  },
};

let clientCapabilities;
const options = (session) => [
  {
    configId: "mode",
    name: "Mode",
    category: "mode",
    type: "select",
    currentValue: session.mode,
    options: [
      { value: "ask", name: "Ask" },
      { value: "code", name: "Code" },
    ],
  },
];
const find = ({ sessionId }) => {
  const session = sessions.get(sessionId);
  if (!session) throw acp.RequestError.sessionNotFound(sessionId);
  return session;
};
const setUp = (session) => ({
  configOptions: options(session),
  availableCommands: [{ type: "command", name: "plan", description: "make a plan" }],
});

const app = acp.agent({ name: "sdk-v2-agent" });
app.onRequest(methods.agent.initialize, ({ params }) => {
  clientCapabilities = params.capabilities;
  return {
    protocolVersion: 2,
    info: { name: "sdk-v2-agent", version: "2.2", title: "The SDK's agent" },
    capabilities: { session: { prompt: { image: {} }, delete: {} } },
  };
});
app.onRequest(methods.agent.session.new, ({ client }) => {
  const session = new Session(`v2-session-${nextSession++}`, client);
  sessions.set(session.id, session);
  return { sessionId: session.id, ...setUp(session) };
});
app.onRequest(methods.agent.session.list, () => ({
  sessions: [{ sessionId: "stored", cwd, title: "A stored session" }],
}));
app.onRequest(methods.agent.session.resume, async ({ params, client }) => {
  if (params.sessionId !== "stored") throw acp.RequestError.sessionNotFound(params.sessionId);
  const session = new Session("stored", client);
  sessions.set(session.id, session);
  if (params.replayFrom) {
    await session.update({
      sessionUpdate: "user_message",
      messageId: "u0",
      content: [text("an old question")],
    });
    await session.update({
      sessionUpdate: "agent_message",
      messageId: "a0",
      content: [text("an old answer")],
    });
  }
  await session.state("idle");
  return setUp(session);
});
app.onRequest(methods.agent.session.close, ({ params }) => {
  find(params).controller.abort();
  sessions.delete(params.sessionId);
  return {};
});
app.onRequest(methods.agent.session.setConfigOption, ({ params }) => {
  const session = find(params);
  session.mode = params.value;
  return { configOptions: options(session) };
});
app.onNotification(methods.agent.session.cancel, ({ params }) => find(params).controller.abort());
app.onRequest(methods.agent.session.prompt, async ({ params }) => {
  const session = find(params);
  const messageId = newId("user");
  await session.update({ sessionUpdate: "user_message", messageId, content: params.prompt });
  const [name, ...words] = (params.prompt[0].text ?? "").split(" ");
  // The work starts after the answer, which only says that the message was inserted.
  setTimeout(() => void session.work(turns[name] ?? turns.hello, words));
  return { messageId };
});
app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

#!/usr/bin/env node
// A raw agent for the CLI tests: no library, one line of JSON per message. Its arguments choose what it
// does at start-up, and the first word of the prompt chooses what it does in a turn.
import { appendFileSync, createReadStream, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const options = new Set(process.argv.slice(2));
const value = (name) =>
  process.argv
    .slice(2)
    .find((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1);
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (update) =>
  send({ method: "session/update", params: { sessionId: session, update } });
const say = (text) =>
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const think = (text) =>
  update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });

let session = "s1";
let nextId = 100;
let prompt;
let cancelled = () => {};
const waiting = new Map();

/** Sends a request to the client. Resolves with the response. */
function ask(method, params) {
  const id = nextId++;
  send({ id, method, params: { sessionId: session, ...params } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const end = (stopReason = "end_turn") => {
  send({ id: prompt, result: { stopReason } });
};
const fail = (id, code, message, data) =>
  send({ id, error: { code, message, ...(data ? { data } : {}) } });
const onCancel = () => new Promise((resolve) => (cancelled = resolve));

const pick = ["once", "reject", "always"];
const choices = {
  once: { optionId: "once", name: "Allow once", kind: "allow_once" },
  always: { optionId: "always", name: "Always allow", kind: "allow_always" },
  reject: { optionId: "no", name: "Reject", kind: "reject_once" },
  never: { optionId: "never", name: "Never allow", kind: "reject_always" },
};

async function permission(toolCall, names = pick) {
  const answer = await ask("session/request_permission", {
    toolCall: { toolCallId: "t1", ...toolCall },
    options: names.map((name) => choices[name]),
  });
  const outcome = answer.result?.outcome;
  return outcome?.outcome === "selected"
    ? outcome.optionId
    : (outcome?.outcome ?? `error ${answer.error?.code}`);
}

const DIFF = {
  type: "diff",
  path: `${process.cwd()}/a.txt`,
  oldText: "one\ntwo\n",
  newText: "one\n2\n",
};
const COMMANDS = options.has("many-commands")
  ? Array.from({ length: 20 }, (_, n) => ({ name: `c${n}`, description: `command ${n}` }))
  : [
      { name: "plan", description: "make a plan", input: { hint: "what for" } },
      { name: "test", description: "run the tests" },
      ...(options.has("undo-command") ? [{ name: "undo", description: "take it back" }] : []),
    ];

function ended(status, [{ text }]) {
  const fields = JSON.parse(text.replace(/^\w+ /, ""));
  update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "npm test", kind: "execute" });
  update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status, ...fields });
  end();
}

async function announcedEdit() {
  update({
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "Edit a.txt",
    kind: "edit",
    status: "pending",
    content: [DIFF],
  });
  say(await permission({ kind: "edit", content: [DIFF] }));
  end();
}

/** The turns by name. Each prompt starts with the name of a turn. */
const turns = {
  hello: () => {
    if (options.has("many-commands"))
      update({ sessionUpdate: "available_commands_update", availableCommands: COMMANDS });
    say("Hello");
    say(", world");
    end();
  },
  lines: () => {
    for (let n = 0; n < 2000; n++) say(`line ${n}\n`);
    end();
  },
  story: () => {
    think("let me see");
    update({ sessionUpdate: "available_commands_update", availableCommands: COMMANDS });
    update({
      sessionUpdate: "plan",
      entries: [
        { content: "look", priority: "high", status: "completed" },
        { content: "change", priority: "medium", status: "in_progress" },
        { content: "tell", priority: "low", status: "pending" },
      ],
    });
    update({
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      title: "Edit a.txt",
      kind: "edit",
      status: "pending",
    });
    update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "in_progress" });
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: "completed",
      content: [DIFF],
    });
    update({
      sessionUpdate: "usage_update",
      used: 120,
      size: 1000,
      cost: { amount: 0.5, currency: "EUR" },
    });
    update({ sessionUpdate: "brand_new_thing", data: { deep: [1, 2, 3] } });
    say("Done.\n");
    end();
  },
  blocks: (blocks) => {
    say(JSON.stringify(blocks));
    end();
  },
  env: () => {
    say(`${process.env.SECRET_TOKEN ?? "none"} ${process.cwd()}`);
    end();
  },
  servers: () => {
    say(JSON.stringify(setup));
    end();
  },
  caps: () => {
    say(JSON.stringify(clientCapabilities));
    end();
  },
  edit: announcedEdit,
  // The text, the change and the question about it arrive in one piece, ahead of every reader.
  burst: async () => {
    for (let n = 0; n < 100; n++) say(`line ${n}\n`);
    await announcedEdit();
  },
  // The change is only in the question.
  unannounced: async () => {
    say(await permission({ kind: "edit", title: "Edit a.txt", content: [DIFF] }));
    update({
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: "failed",
      content: [DIFF],
    });
    end();
  },
  // `failing {...}`: a tool call that fails, with these fields; `passing {...}`: one that succeeds.
  failing: (blocks) => ended("failed", blocks),
  passing: (blocks) => ended("completed", blocks),
  // `printing TEXT`: the answer, in pieces of a few characters. `<pause>` waits for SIGUSR2.
  printing: async (blocks) => {
    const text = blocks[0].text.replace(/^printing /, "");
    const [first, ...others] = text.split("<pause>");
    const print = (part) => (part.match(/[^]{1,7}/g) ?? []).forEach(say);
    print(first);
    for (const part of others) {
      await new Promise((resolve) => process.once("SIGUSR2", resolve));
      print(part);
    }
    end();
  },
  spending: () => {
    update({ sessionUpdate: "usage_update", used: 12_000, size: 200_000 });
    say("spent");
    send({
      id: prompt,
      result: {
        stopReason: "end_turn",
        usage: { totalTokens: 1234, inputTokens: 1000, outputTokens: 234 },
      },
    });
  },
  // `requests [{ method, params }, ...]`: sends each request and prints its outcome or error code.
  requests: async (blocks) => {
    const outcomes = [];
    for (const { method, params } of JSON.parse(blocks[0].text.replace(/^requests /, ""))) {
      const { result, error } = await ask(method, params);
      const { outcome } = result ?? {};
      outcomes.push(
        error ? `error ${error.code}` : (outcome?.optionId ?? outcome?.outcome ?? "ok"),
      );
    }
    say(outcomes.join(" "));
    end();
  },
  run: async () => {
    say(await permission({ kind: "execute", title: "Run it", rawInput: { command: "npm test" } }));
    end();
  },
  operators: async () => {
    say(
      await permission({
        kind: "execute",
        title: "npm test",
        rawInput: { command: "npm test; rm -rf x" },
      }),
    );
    end();
  },
  reading: async () => {
    say(await permission({ kind: "read", title: "Read it" }));
    end();
  },
  untitled: async (blocks) => {
    say(await permission({ title: blocks[0].text.replace("untitled ", "") }));
    end();
  },
  allowing: async () => {
    say(await permission({ kind: "edit", title: "Edit" }, ["once"]));
    end();
  },
  always: async () => {
    say(await permission({ kind: "edit", title: "Edit" }, ["always", "never"]));
    end();
  },
  read: async (blocks) => {
    const answer = await ask("fs/read_text_file", { path: blocks[0].text.split(" ")[1] });
    say(answer.result?.content ?? `error ${answer.error.code}`);
    end();
  },
  write: async (blocks) => {
    const answer = await ask("fs/write_text_file", {
      path: blocks[0].text.split(" ")[1],
      content: "written\n",
    });
    say(answer.error ? `error ${answer.error.code}` : "written");
    end();
  },
  // `terminal COMMAND`: runs a command on the side of the client.
  terminal: async (blocks) => {
    const [, command = "echo from the terminal"] = /^terminal (.*)/.exec(blocks[0].text) ?? [];
    const made = await ask("terminal/create", { command });
    if (made.error) say(`error ${made.error.code}`);
    else {
      const { terminalId } = made.result;
      await ask("terminal/wait_for_exit", { terminalId });
      say((await ask("terminal/output", { terminalId })).result.output);
      await ask("terminal/release", { terminalId });
    }
    end();
  },
  form: async () => {
    const answer = await ask("elicitation/create", {
      mode: "form",
      message: "Which one?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name" },
          size: { type: "integer", title: "Size", minimum: 1 },
          color: { type: "string", title: "Color", enum: ["red", "green"] },
          sure: { type: "boolean", title: "Sure" },
        },
        required: ["name", "color"],
      },
    });
    say(JSON.stringify(answer.result ?? answer.error.code));
    end();
  },
  url: async () => {
    const answer = await ask("elicitation/create", {
      mode: "url",
      message: "Sign in, please",
      url: "https://example.com/login?x=1",
      elicitationId: "e1",
    });
    say(answer.result?.action ?? `error ${answer.error.code}`);
    end();
  },
  crash: () => {
    say("partial");
    process.stderr.write("first words\nthe database is gone\n");
    setImmediate(() => process.exit(3));
  },
  // Repeats a secret in every place that an agent can write to, and dies.
  leak: async () => {
    const secret = process.env.LEAK;
    const inJson = JSON.stringify({ secret });
    // Escaped as some serializers do, but not JSON.stringify.
    const escaped = secret.replace(
      /[^A-Za-z0-9]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    say(`${secret} ${inJson} ${JSON.stringify({ inJson })}`);
    update({
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      title: secret,
      rawOutput: { [secret]: [inJson] },
    });
    raw(
      `{"jsonrpc":"2.0","method":"_note","params":{"sessionId":"${session}","text":"${escaped}"}}\n`,
    );
    raw(`noise ${JSON.stringify(secret)}\n`);
    raw(`${"x".repeat(500 - secret.length + 1)}${secret}\n`);
    const written = (text) => new Promise((resolve) => process.stderr.write(text, resolve));
    await written(secret.slice(0, -4));
    // The rest comes in a chunk of its own, because the client answers in between.
    await ask("session/request_permission", {
      toolCall: { toolCallId: "t1", kind: "read" },
      options: [choices.once],
    });
    await written(`${secret.slice(-4)}\n${inJson}\n`);
    process.exit(3);
  },
  refuse: () => fail(prompt, -32603, "Internal error", { details: `no ${process.env.LEAK}` }),
  killed: () => {
    say("partial");
    process.kill(process.pid, "SIGKILL");
  },
  hang: async () => {
    say("waiting");
    await onCancel();
    end("cancelled");
  },
  pause: () => {
    say("before");
    // Long enough for a spinner to appear.
    setTimeout(() => {
      say(" and after");
      end();
    }, 600);
  },
  // Says the JSON strings, and sends the JSON objects as updates, that arrive in the pipe `feed=FILE`.
  feed: () => {
    createInterface({ input: createReadStream(value("feed")) })
      .on("line", (line) => {
        const next = JSON.parse(line);
        if (typeof next === "string") say(next);
        else update(next);
      })
      .on("close", () => end());
  },
  deaf: () => say("waiting"),
  silent: async () => {
    await onCancel();
    end("cancelled");
  },
  asking: async () => {
    say(`got ${await permission({ kind: "edit", title: "Edit" })}`);
    end("cancelled");
  },
  noise: () => {
    raw("loading model...\n");
    raw("[1, 2\n");
    say("still here");
    raw("progress 50%");
    say(", and whole");
    end();
  },
  late: () => {
    say("before");
    end();
    say("AFTER");
  },
  error: () => fail(prompt, -32603, "Internal error", { details: "model exploded" }),
  status: () => fail(prompt, 400, "bad request"),
  auth: () => fail(prompt, -32000, "Authentication required"),
  nothing: () => send({ id: prompt, result: {} }),
  escapes: () => {
    update({
      sessionUpdate: "tool_call",
      toolCallId: "t9",
      title: "evil \u001b]0;owned\u0007title",
      kind: "read",
      status: "completed",
    });
    say("a\u001b[2Jb\u001b]52;c;aGk=\u0007c\u202ed");
    end();
  },
  // Characters that act on a terminal although JSON does not escape them.
  controls: () => {
    say("a\u009b2Jb\u009d0;owned\u009cc\u202ed\u2066e\u200ff\u007fg\u{e0041}h");
    // Between values, JSON allows a carriage return.
    const params = { sessionId: session, update: { sessionUpdate: "\u009dnew" } };
    raw(`{"jsonrpc":"2.0",\r"method":"session/update","params":${JSON.stringify(params)}}\n`);
    fail(prompt, -32603, "broke \u009b2J\u202e");
  },
  // `json [a, b, ...]`: answers with a, and with the next one each time it is asked again.
  json: (blocks) => {
    answers = JSON.parse(blocks[0].text.replace(/^json /, ""));
    nextAnswer();
  },
  // `tools N`: makes calls until it has made N of them or is cancelled, which the client has to read.
  tools: async (blocks) => {
    const calls = Number(blocks[0].text.split(" ")[1]);
    let isCancelled = false;
    void onCancel().then(() => (isCancelled = true));
    for (let n = 0; n < calls; n++) {
      if (isCancelled) break;
      const call = { toolCallId: `c${n}`, title: `Call ${n}`, kind: "read", status: "completed" };
      update({ sessionUpdate: "tool_call", ...call });
      await permission({ ...call, status: "pending" });
    }
    say("counted");
    end(isCancelled ? "cancelled" : "end_turn");
  },
  // `spend 0.1 0.2 ...`: reports these costs of the session.
  spend: async (blocks) => {
    let isCancelled = false;
    void onCancel().then(() => (isCancelled = true));
    for (const amount of blocks[0].text.split(" ").slice(1).map(Number)) {
      if (isCancelled) break;
      update({
        sessionUpdate: "usage_update",
        used: amount * 1000,
        size: 10_000,
        cost: { amount, currency: "USD" },
      });
      await permission({ kind: "read", title: "Go on" });
    }
    end(isCancelled ? "cancelled" : "end_turn");
  },
  // Reports the tokens of the turn only in its answer.
  counted: () => {
    say("counted");
    send({ id: prompt, result: { stopReason: "end_turn", usage: { totalTokens: 700 } } });
  },
  // Changes files without asking, as an agent with tools of its own does.
  change: () => {
    writeFileSync("a.txt", `${value("who") ?? "somebody"} was here\n`);
    writeFileSync("new file.txt", "new\n");
    say(`changed by ${value("who")}`);
    end();
  },
  // Creates a file whose name would act on a terminal.
  name: () => {
    writeFileSync("a\u001b[2J\u202eb\nc.txt", "x\n");
    end();
  },
  // Removes the file that leads from its worktree to the repository.
  damage: () => {
    writeFileSync("a.txt", "damaged\n");
    rmSync(".git", { recursive: true });
    say("damaged");
    end();
  },
  // Changes the script that a filter of the user runs, and lets the filter match.
  tamper: (blocks) => {
    const mark = blocks[0].text.split(" ")[1];
    writeFileSync("filter.sh", `touch ${mark}; cat\n`);
    writeFileSync(".gitattributes", "* filter=script\n");
    writeFileSync("a.txt", "tampered\n");
    end();
  },
  unicode: () => {
    const bytes = Buffer.from(
      `${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: session, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "é" } } } })}\n`,
    );
    const cut = bytes.indexOf(0xc3) + 1;
    process.stdout.write(bytes.subarray(0, cut), () =>
      setImmediate(() => process.stdout.write(bytes.subarray(cut), () => end())),
    );
  },
};

let answers = [];
const nextAnswer = () => {
  const answer = answers.shift();
  if (answer?.stop) return end(answer.stop);
  if (answer?.tool) {
    say("I will look first: {");
    update({ sessionUpdate: "tool_call", toolCallId: "look", title: "Look", kind: "read" });
  }
  say(answer?.text ?? JSON.stringify(answer));
  end();
};

/** Replays a stored conversation. */
function replay() {
  update({
    sessionUpdate: "user_message_chunk",
    content: { type: "text", text: "what was asked" },
  });
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "what was " } });
  update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "answered" } });
  if (options.has("secret-in-history"))
    for (const text of [" by https://h.example/?api_", "key=not-a-", "real-key&x=1"]) say(text);
  update({
    sessionUpdate: "tool_call",
    toolCallId: "t0",
    title: "Old tool",
    kind: "read",
    status: "completed",
  });
}

let setup;
let clientCapabilities;

const modes = {
  currentModeId: "ask",
  availableModes: [
    { id: "ask", name: "Ask", description: "asks first" },
    { id: "code", name: "Code" },
  ],
};
const configOptions = () => [
  {
    id: "model",
    name: "Model",
    category: "model",
    type: "select",
    currentValue: model,
    options: [
      { value: "small", name: "Small" },
      { value: "large", name: "Large" },
    ],
  },
  { id: "fast", name: "Fast", type: "boolean", currentValue: fast },
];
let model = "small";
let fast = false;

const calls = {
  initialize: (id, params) => {
    clientCapabilities = params.clientCapabilities;
    if (options.has("die-in-initialize")) {
      process.stderr.write("no licence found\n");
      process.exit(4);
    }
    if (options.has("hang-in-initialize")) return;
    const version = value("protocol") ?? "1";
    send({
      id,
      result: {
        protocolVersion: /^\d+$/.test(version) ? Number(version) : version,
        agentInfo: { name: "cli-agent", title: "The CLI's agent", version: "9.9" },
        agentCapabilities: {
          ...(options.has("no-load") ? {} : { loadSession: true }),
          promptCapabilities: { image: !options.has("no-image") },
          sessionCapabilities: {
            ...(options.has("more-folders") ? { additionalDirectories: {} } : {}),
            ...(options.has("system-prompt") ? { systemPrompt: {} } : {}),
            ...(options.has("no-list") ? {} : { list: {}, delete: {} }),
            ...(options.has("resume") ? { resume: {} } : {}),
          },
        },
        authMethods: options.has("auth") ? [{ id: "login", name: "Log in" }] : [],
      },
    });
  },
  authenticate: (id, params) => {
    options.delete("auth");
    send({ id, result: {} });
    if (params.methodId !== "login") process.exit(9);
  },
  "session/new": (id, params) => {
    setup = params;
    if (options.has("auth")) return fail(id, -32000, "Authentication required");
    if (options.has("hang-in-session")) return;
    if (value("id-file")) writeFileSync(value("id-file"), String(process.pid));
    session = value("session") ?? "s1";
    if (options.has("commands-first")) {
      update({ sessionUpdate: "available_commands_update", availableCommands: COMMANDS });
    }
    send({
      id,
      result: {
        sessionId: session,
        ...(options.has("bare") ? {} : { modes, configOptions: configOptions() }),
      },
    });
    if (options.has("commands-late")) {
      setTimeout(
        () => update({ sessionUpdate: "available_commands_update", availableCommands: COMMANDS }),
        30,
      );
    }
  },
  "session/load": (id, params) => {
    setup = params;
    if (params.sessionId !== "kept") return fail(id, -32002, "Session not found");
    session = "kept";
    if (!options.has("late-replay")) {
      replay();
      return send({ id, result: null });
    }
    send({ id, result: null });
    setTimeout(replay, 50);
  },
  "session/resume": (id, params) => {
    if (params.sessionId !== "kept") return fail(id, -32002, "Session not found");
    session = "kept";
    send({ id, result: {} });
  },
  "session/list": (id, params) => {
    if (params.cursor === undefined) {
      send({
        id,
        result: {
          sessions: [
            {
              sessionId: "kept",
              cwd: process.cwd(),
              title: "The kept one",
              updatedAt: "2026-01-02T03:04:05Z",
            },
          ],
          nextCursor: "2",
        },
      });
    } else {
      const ids = ["other", ...(value("more")?.split(",") ?? [])];
      const sessions = ids.map((sessionId) => ({ sessionId, cwd: process.cwd() }));
      send({ id, result: { sessions } });
    }
  },
  "session/delete": (id, params) => {
    if (value("deleted-file")) appendFileSync(value("deleted-file"), `${params.sessionId}\n`);
    send({ id, result: {} });
  },
  "session/set_mode": (id, params) => {
    modes.currentModeId = params.modeId;
    send({ id, result: {} });
  },
  "session/set_config_option": (id, params) => {
    if (params.configId === "model") model = params.value;
    else fast = params.value;
    send({ id, result: { configOptions: configOptions() } });
  },
  "session/prompt": (id, params) => {
    prompt = id;
    const [text] = params.prompt;
    const name = text.text.split(/\s/)[0];
    const stop = /^stop=(.*)$/.exec(name);
    if (stop) return end(stop[1]);
    if (options.has("mute")) return end("refusal");
    if (name === "settings") {
      say(`${modes.currentModeId} ${model} ${fast}`);
      return end();
    }
    if (text.text.startsWith("Your last answer cannot be used")) return nextAnswer();
    const turn = turns[name];
    if (turn) return turn(params.prompt);
    say(`you said: ${text.text}`);
    end();
  },
};

if (value("pid-file")) writeFileSync(value("pid-file"), String(process.pid));
if (options.has("noisy-start")) raw("booting\nplease wait\n");
if (options.has("ignore-signals"))
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else if (message.method === "session/cancel") cancelled();
    else if (message.id !== undefined) {
      const call = calls[message.method];
      if (call) call(message.id, message.params);
      else fail(message.id, -32601, `Method not found: ${message.method}`);
    }
  })
  .on("close", () => {
    if (!options.has("ignore-eof")) process.exit(0);
  });

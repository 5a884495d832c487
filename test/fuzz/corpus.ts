// Valid frames of both directions, which the mutations break.

const session = "sess_1";
const update = (value: object): object => ({
  jsonrpc: "2.0",
  method: "session/update",
  params: { sessionId: session, update: value },
});
const request = (id: unknown, method: string, params: object): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const result = (id: unknown, value: unknown): object => ({ jsonrpc: "2.0", id, result: value });

const text = { type: "text", text: "Hello, wörld 😀", annotations: { priority: 1 } };
const env = [{ name: "TOKEN", value: "s3cret" }];

export const corpus: readonly object[] = [
  request(9001, "initialize", {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
    clientInfo: { name: "x", version: "1" },
  }),
  request("s-1", "session/new", {
    cwd: "/tmp",
    mcpServers: [
      { name: "m", command: "/bin/m", args: ["a"], env },
      { type: "http", name: "h", url: "http://localhost", headers: env },
    ],
  }),
  request(9002, "session/prompt", {
    sessionId: session,
    prompt: [
      text,
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "b" } },
    ],
  }),
  request(9003, "session/set_mode", { sessionId: session, modeId: "code" }),
  { jsonrpc: "2.0", method: "session/cancel", params: { sessionId: session } },
  { jsonrpc: "2.0", method: "$/cancel_request", params: { requestId: 9002 } },
  update({ sessionUpdate: "user_message_chunk", content: text }),
  update({ sessionUpdate: "agent_message_chunk", content: text, messageId: "m1" }),
  update({ sessionUpdate: "agent_thought_chunk", content: text }),
  update({
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "Edit",
    kind: "edit",
    status: "pending",
    locations: [{ path: "/a", line: 3 }],
    content: [
      { type: "content", content: text },
      { type: "diff", path: "/a", oldText: null, newText: "b" },
      { type: "terminal", terminalId: "term1" },
    ],
    rawInput: { a: [1, { b: 2 }] },
  }),
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "t1",
    status: "completed",
    content: null,
  }),
  update({
    sessionUpdate: "plan",
    entries: [{ content: "do", priority: "high", status: "in_progress" }],
  }),
  update({
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: "go", description: "d", input: { hint: "h" } }],
  }),
  update({ sessionUpdate: "current_mode_update", currentModeId: "ask" }),
  update({
    sessionUpdate: "config_option_update",
    configOptions: [
      {
        type: "select",
        id: "model",
        name: "Model",
        currentValue: "a",
        options: [{ value: "a", name: "A" }],
      },
    ],
  }),
  update({ sessionUpdate: "session_info_update", title: "T", updatedAt: "2026-01-01T00:00:00Z" }),
  update({
    sessionUpdate: "usage_update",
    used: 1,
    size: 2,
    cost: { amount: 0.1, currency: "USD" },
  }),
  update({ sessionUpdate: "diff", path: "/a", oldText: "a", newText: "b" }),
  update({ sessionUpdate: "hologram", beam: [1, 2, 3] }),
  request(9004, "session/request_permission", {
    sessionId: session,
    toolCall: { toolCallId: "t1", title: "Edit" },
    options: [
      { optionId: "a", name: "Allow", kind: "allow_once" },
      { optionId: "r", name: "Reject", kind: "reject_once" },
    ],
  }),
  request(9005, "fs/read_text_file", { sessionId: session, path: "/a", line: 1, limit: 2 }),
  request(9006, "fs/write_text_file", { sessionId: session, path: "/a", content: "x" }),
  request(9007, "terminal/create", {
    sessionId: session,
    command: "ls",
    args: ["-l"],
    env,
    cwd: "/",
  }),
  request(9008, "terminal/output", { sessionId: session, terminalId: "term1" }),
  request(9009, "elicitation/create", {
    sessionId: session,
    mode: "form",
    message: "?",
    requestedSchema: { type: "object", properties: { a: { type: "string" } } },
  }),
  result(9001, {
    protocolVersion: 1,
    agentCapabilities: { loadSession: true, promptCapabilities: { image: true } },
    authMethods: [{ id: "a", name: "A" }],
  }),
  result(9002, { stopReason: "end_turn" }),
  result("s-1", {
    sessionId: session,
    modes: { currentModeId: "a", availableModes: [{ id: "a", name: "A" }] },
  }),
  result(9004, { outcome: { outcome: "selected", optionId: "a" } }),
  { jsonrpc: "2.0", id: 9003, error: { code: -32000, message: "no", data: { a: 1 } } },
  { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } },
  // Frames of the crow dialect, with snake_case and @type.
  {
    jsonrpc: "2.0",
    id: 9010,
    method: "initialize",
    params: { protocol_version: 1, client_capabilities: { fs: { read_text_file: true } } },
  },
  {
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      session_id: session,
      update: { "@type": "agent_message_chunk", content: { "@type": "text", text: "hi" } },
    },
  },
];

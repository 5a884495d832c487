// Requests of an agent that try to reach the client without being judged.
import { join } from "node:path";
import { expect, test } from "vitest";
import { hubPolicy } from "../../../../src/host/hub/index.ts";
import { readRules } from "../../../../src/client/rules/index.ts";
import { at, connect, INITIALIZE, RawAgent, testHub } from "../rig.ts";
import { policyRig, selected } from "../policy/policy-rig.ts";

const RULES = [{ decision: "deny" }];
const UPDATE = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "hi" } };

/** The members of a message, as text without the braces. */
const members = (frame: object): string => JSON.stringify(frame).slice(1, -1);
const message = (...parts: string[]): string => `{"jsonrpc":"2.0",${parts.join(",")}}`;
const update = (sessionId: string): string =>
  members({ method: "session/update", params: { sessionId, update: UPDATE } });

test.each([
  ["fs/write_text_file", { path: "/x", content: "stolen" }],
  ["fs/read_text_file", { path: "/x" }],
  ["terminal/create", { command: "rm", args: ["-rf", "x"] }],
  ["session/request_permission", { toolCall: { toolCallId: "t" }, options: [] }],
])("%s behind an update in the same line is refused and written down", async (method, params) => {
  const { run, client, sessionId, decisions } = await policyRig({ rules: RULES });
  const request = members({ id: 9, method, params: { sessionId, ...params } });
  run.send(message(update(sessionId), request));
  const answer = await run.until(({ id }) => id === 9);
  expect(at(answer, "error", "code")).toBe(-32600);
  expect(decisions()).toMatchObject([{ method, decision: "deny", by: { type: "invalid" } }]);
  expect(client.lines.join("\n")).not.toContain(method);
});

test("a request behind a response on the same line is refused and audited", async () => {
  const { run, client, sessionId, decisions } = await policyRig({ rules: RULES });
  const write = { method: "fs/write_text_file", params: { sessionId, path: "/x", content: "y" } };
  run.send(message(members({ id: 3, result: {} }), members({ id: 9, ...write })));
  expect(at(await run.until(({ id }) => id === 9), "error", "code")).toBe(-32600);
  expect(decisions()).toMatchObject([{ method: "fs/write_text_file", decision: "deny" }]);
  expect(client.lines.join("\n")).not.toContain("fs/write_text_file");
});

test("a response with two results reaches the client with neither", async () => {
  const { run, client, sessionId } = await policyRig({ rules: RULES });
  const asked = client.request("session/set_mode", { sessionId, modeId: "x" }, 77);
  const { id } = await run.until(({ method }) => method === "session/set_mode");
  run.send(message(members({ id, result: {} }), members({ result: { stolen: true } })));
  expect(await asked).not.toHaveProperty("result");
});

test("an ambiguous answer from the client is not consent", async () => {
  const { request, asked, client, decisions } = await policyRig();
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  const answered = request("session/request_permission", {
    toolCall: { toolCallId: "t" },
    options,
  });
  const { id } = await asked("session/request_permission");
  client.send(
    message(members({ id, result: selected("no") }), members({ result: selected("yes") })),
  );
  expect(await answered).toHaveProperty("error");
  await expect.poll(decisions).toMatchObject([{ decision: "cancel" }]);
});

test("a tool call that names its kind twice does not reach the client", async () => {
  const { run, client, sessionId } = await policyRig({ rules: RULES });
  const call = '{"sessionUpdate":"tool_call","toolCallId":"t","kind":"execute","kind":"read"}';
  run.send(
    message('"method":"session/update"', `"params":{"sessionId":"${sessionId}","update":${call}}`),
  );
  run.send({ jsonrpc: "2.0", method: "session/update", params: { sessionId, update: UPDATE } });
  await client.untilText("hi");
  expect(client.lines.join("\n")).not.toContain("tool_call");
});

test.each([
  ["no session", undefined, -32602],
  ["a session that is not open", "other", -32002],
  ["a number", 1, -32602],
  ["a list", ["s1"], -32602],
  ["an empty name", "", -32002],
])("with rules, a request that names %s is refused and written down", async (_, name, code) => {
  const { run, client, cwd, decisions } = await policyRig({ rules: RULES });
  const params = { sessionId: name, path: join(cwd, "a"), content: "x" };
  const answer = await run.request("fs/write_text_file", params, 31);
  expect(at(answer, "error", "code")).toBe(code);
  expect(decisions()).toEqual([
    {
      method: "fs/write_text_file",
      kind: "other",
      targets: [],
      decision: "deny",
      by: { type: "invalid" },
    },
  ]);
  expect(client.lines.join("\n")).not.toContain("fs/write_text_file");
});

test("with rules, an update outside an open session does not reach the client", async () => {
  const { run, client, sessionId } = await policyRig({ rules: RULES });
  for (const name of [undefined, "other", 1, ["s1"]]) {
    run.notify("session/update", { sessionId: name, update: { ...UPDATE, hidden: true } });
  }
  run.notify("session/update", { sessionId, update: UPDATE });
  await client.untilText("hi");
  expect(client.lines.join("\n")).not.toContain("hidden");
});

test("with rules, sessionless requests still reach the client", async () => {
  const { run, client } = await policyRig({ rules: RULES });
  const question = { method: "elicitation/create", params: { requestId: 1, mode: "form" } };
  run.send(message(members({ id: 41, ...question })));
  run.send(message(members({ id: 42, method: "_vendor/ask", params: {} })));
  await client.until(({ method }) => method === "_vendor/ask");
  expect(client.frames.some(({ method }) => method === "elicitation/create")).toBe(true);
});

test("a request behind a line break in an update stays a part of the update", async () => {
  const { run, client, sessionId } = await policyRig({ rules: RULES });
  const write = message(members({ id: 9, method: "fs/write_text_file", params: { sessionId } }));
  run.send(
    message(update(sessionId).replace('"update":{', `"update":{"_meta":{"x":[\r${write}\r]},`)),
  );
  await client.untilText("hi");
  expect(client.lines.some((line) => /[\r\n]/.test(line))).toBe(false);
});

test.each(["fs/write_text_file", "terminal/create", "session/request_permission", "fs/any"])(
  "with rules, %s does not reach the client without an id either, and is written down",
  async (method) => {
    const { run, client, sessionId, decisions } = await policyRig({ rules: RULES });
    for (const name of [sessionId, "other", 1, undefined]) {
      run.notify(method, { sessionId: name, path: "/x", content: "y", command: "rm" });
    }
    run.notify("session/update", { sessionId, update: UPDATE });
    await client.untilText("hi");
    expect(client.lines.join("\n")).not.toContain(method);
    expect(decisions()).toHaveLength(4);
  },
);

test("with rules, an update that is sent as a request is refused", async () => {
  const { run, client, sessionId } = await policyRig({ rules: RULES });
  const call = { sessionUpdate: "tool_call", toolCallId: "t", kind: "execute" };
  const answer = await run.request("session/update", { sessionId, update: call }, 51);
  expect(at(answer, "error", "code")).toBe(-32601);
  expect(client.lines.join("\n")).not.toContain("tool_call");
});

test.each([
  ["terminal/create", { command: "ls", CWD: "/etc" }],
  ["terminal/create", { command: "ls", Env: [] }],
  ["terminal/create", { command: "ls", ARGS: ["-rf"] }],
  ["fs/read_text_file", { path: "/x", session_id: "other" }],
  ["session/request_permission", { tool_call: { toolCallId: "t" }, options: [] }],
  ["session/request_permission", { toolCall: { toolCallId: "t", RawInput: {} }, options: [] }],
])("with rules, %s with %j is refused, because a client may read it", async (method, params) => {
  const { request, client, decisions } = await policyRig({ rules: [{ decision: "allow" }] });
  expect(at(await request(method, params), "error", "code")).toBe(-32602);
  expect(decisions()).toMatchObject([{ method, decision: "deny", by: { type: "invalid" } }]);
  expect(client.lines.join("\n")).not.toContain(method);
});

test("a second request with an open id is refused", async () => {
  const { run, client, sessionId, asked } = await policyRig();
  const params = { sessionId, path: "/x" };
  run.send({ jsonrpc: "2.0", id: 5, method: "fs/read_text_file", params });
  await asked("fs/read_text_file");
  run.send({ jsonrpc: "2.0", id: 5, method: "fs/read_text_file", params });
  expect(at(await run.until(({ id }) => id === 5), "error", "code")).toBe(-32600);
  expect(client.frames.filter(({ method }) => method === "fs/read_text_file")).toHaveLength(1);
});

test("with rules, an agent cannot answer with a version that its client did not ask for", async () => {
  const agent = new RawAgent({ initialize: () => ({ protocolVersion: 2, capabilities: {} }) });
  const rules = readRules(JSON.stringify({ version: 1, rules: RULES }), "rules.json", {
    home: "/",
    platform: process.platform,
  });
  const client = connect(testHub(hubPolicy({ rules, files: "client" })), agent);
  const answer = await client.request("initialize", INITIALIZE);
  expect(at(answer, "error", "message")).toContain("version 2 of the protocol instead of 1");
});

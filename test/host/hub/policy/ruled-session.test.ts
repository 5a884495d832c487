import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { at, connect, INITIALIZE, RawAgent, scratchFolder } from "../rig.ts";
import { CANCELLED, OPTIONS, permission, policyRig, selected } from "./policy-rig.ts";

const ASK = "session/request_permission";

test.each([
  ["allow", "yes"],
  ["deny", "no"],
] as const)("a rule that says %s answers with the option that holds once", async (decision, id) => {
  const { request, decisions, client } = await policyRig({ rules: [{ decision, kind: "edit" }] });
  expect((await request(ASK, permission({ kind: "edit" })))["result"]).toEqual(selected(id));
  const by = { type: "rule", rule: 1, file: "rules.json" };
  expect(decisions()).toEqual([{ method: ASK, kind: "edit", targets: [], decision, by }]);
  expect(client.frames.filter(({ method }) => method === ASK)).toEqual([]);
});

test("a request that no rule matches goes to the client, and its answer to the agent", async () => {
  const rules = [{ decision: "deny", kind: "execute" }];
  const { request, asked, answer, decisions, sessionId } = await policyRig({ rules });
  const params = permission({ kind: "edit", locations: [{ path: "/elsewhere" }] });
  const response = request(ASK, params);
  const question = await asked(ASK);
  expect(question["params"]).toEqual({ sessionId, ...params });
  answer(question, { ...selected("always"), _meta: { x: 1 } });
  expect((await response)["result"]).toEqual({ ...selected("always"), _meta: { x: 1 } });
  const by = { type: "client", client: "me" };
  const entry = { method: ASK, kind: "edit", targets: ["/elsewhere"], decision: "allow", by };
  await expect.poll(decisions).toEqual([entry]);
});

test("a rule that says ask leaves the question to the client", async () => {
  const { request, asked, answer, decisions } = await policyRig({
    rules: [{ decision: "ask", kind: "edit" }, { decision: "allow" }],
  });
  const response = request(ASK, permission({ kind: "edit" }));
  answer(await asked(ASK), selected("no"));
  expect((await response)["result"]).toEqual(selected("no"));
  await expect.poll(decisions).toMatchObject([{ decision: "deny", by: { type: "client" } }]);
});

test("without rules, everything goes to the client and every decision is recorded", async () => {
  const { request, asked, answer, decisions } = await policyRig();
  const response = request(ASK, permission({ kind: "edit" }));
  answer(await asked(ASK), CANCELLED);
  expect((await response)["result"]).toEqual(CANCELLED);
  await expect.poll(decisions).toMatchObject([{ decision: "cancel", by: { client: "me" } }]);
});

test("a request that only names a tool call is judged by everything known about it", async () => {
  const { request, update, decisions, cwd } = await policyRig({
    rules: [{ decision: "deny", kind: "edit", path: "secrets/**" }, { decision: "allow" }],
  });
  const path = join(cwd, "secrets/key");
  update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Read the docs", kind: "edit" });
  update({ sessionUpdate: "tool_call_update", toolCallId: "t1", locations: [{ path }] });
  expect((await request(ASK, permission({})))["result"]).toEqual(selected("no"));
  const other = { toolCallId: "t2", kind: "edit", locations: [{ path: join(cwd, "src/a") }] };
  expect((await request(ASK, permission(other)))["result"]).toEqual(selected("yes"));
  expect(decisions()).toMatchObject([
    { kind: "edit", targets: ["$/secrets/key"], decision: "deny", by: { rule: 1 } },
    { kind: "edit", targets: ["$/src/a"], decision: "allow", by: { rule: 2 } },
  ]);
});

test("a link from an allowed folder into a denied one is judged by where it leads", async () => {
  const cwd = await scratchFolder();
  await mkdir(join(cwd, "secrets"));
  await mkdir(join(cwd, "src"));
  await symlink("../secrets", join(cwd, "src/x"));
  const { request } = await policyRig({
    cwd,
    rules: [
      { decision: "deny", path: "secrets/**" },
      { decision: "allow", path: "src/**" },
    ],
  });
  const call = permission({ kind: "edit", locations: [{ path: join(cwd, "src/x/key") }] });
  expect((await request(ASK, call))["result"]).toEqual(selected("no"));
});

test("a rule that allows asks the client if the agent offers nothing that holds once", async () => {
  const { request, asked, answer } = await policyRig({ rules: [{ decision: "allow" }] });
  const [, always, no] = OPTIONS;
  const response = request(ASK, permission({ kind: "edit" }, [always ?? {}, no ?? {}]));
  answer(await asked(ASK), selected("no"));
  expect((await response)["result"]).toEqual(selected("no"));
});

test("a rule that denies cancels if the agent offers nothing that rejects once", async () => {
  const { request, client } = await policyRig({ rules: [{ decision: "deny" }] });
  const response = await request(ASK, permission({ kind: "edit" }, OPTIONS.slice(0, 2)));
  expect(response["result"]).toEqual(CANCELLED);
  expect(client.frames.filter(({ method }) => method === ASK)).toEqual([]);
});

test("two options with the same id are never answered with one of them", async () => {
  const { request, decisions } = await policyRig({ rules: [{ decision: "allow" }] });
  const twice = OPTIONS.map((option) => ({ ...option, optionId: "same" }));
  const response = await request(ASK, permission({ kind: "edit" }, twice));
  expect(response["result"]).toEqual(CANCELLED);
  expect(decisions()).toMatchObject([{ decision: "cancel", by: { type: "invalid" } }]);
});

test.each([
  { toolCall: "t1" },
  { toolCall: { toolCallId: 7 } },
  { toolCall: { toolCallId: "t1", kind: 5 } },
  { toolCall: { toolCallId: "t1", status: 5 } },
  { toolCall: { toolCallId: "t1", locations: "x" } },
  { toolCall: { toolCallId: "t1" }, options: [...OPTIONS, 5] },
])("with rules, the invalid request %j is refused", async (params) => {
  const { request, client, decisions } = await policyRig({ rules: [{ decision: "deny" }] });
  const response = await request(ASK, { options: OPTIONS, ...params });
  expect(at(response, "error", "code")).toBe(-32602);
  expect(decisions()).toMatchObject([{ decision: "deny", by: { type: "invalid" } }]);
  expect(client.frames.filter(({ method }) => method === ASK)).toEqual([]);
});

test("without rules, a request that is not valid goes to the client as it is", async () => {
  const { request, asked, answer, sessionId, decisions } = await policyRig();
  const response = request(ASK, { toolCall: "t1", options: OPTIONS });
  const question = await asked(ASK);
  expect(question["params"]).toEqual({ sessionId, toolCall: "t1", options: OPTIONS });
  answer(question, selected("yes"));
  expect((await response)["result"]).toEqual(selected("yes"));
  await expect.poll(decisions).toMatchObject([{ decision: "allow", by: { client: "me" } }]);
});

test("a request that the agent withdraws is recorded as cancelled", async () => {
  const { run, sessionId, asked, client, decisions } = await policyRig({
    rules: [{ decision: "ask" }],
  });
  const params = { sessionId, ...permission({ kind: "edit" }) };
  run.send({ jsonrpc: "2.0", id: 7, method: ASK, params });
  const { id } = await asked(ASK);
  run.notify("$/cancel_request", { requestId: 7 });
  const withdrawn = await client.untilMethod("$/cancel_request");
  expect(at(withdrawn, "params", "requestId")).toBe(id);
  await expect.poll(decisions).toMatchObject([{ decision: "cancel", by: { type: "cancelled" } }]);
});

test("a question without a client is cancelled, and recorded as unattended", async () => {
  const { request, client, decisions } = await policyRig({
    rules: [{ decision: "ask" }],
    hub: { limits: { idleMs: 60_000 } },
  });
  await client.lose();
  await client.gone;
  expect((await request(ASK, permission({ kind: "edit" })))["result"]).toEqual(CANCELLED);
  await expect.poll(decisions).toMatchObject([{ decision: "cancel", by: { type: "unattended" } }]);
});

test("an observer gets no question, and opens no session", async () => {
  const folder = await scratchFolder();
  const { request, hub, agent, sessionId, asked, answer } = await policyRig({
    rules: [{ decision: "ask" }],
    files: "server",
    hub: { log: { folder } },
  });
  const observer = connect(hub, agent, { role: "observer" });
  await observer.request("initialize", { ...INITIALIZE, _meta: { "dragoman/attach": true } });
  await observer.request("_dragoman/session/attach", { sessionId, role: "observer" });
  const forwarded = request(ASK, permission({ kind: "edit" }));
  answer(await asked(ASK), selected("yes"));
  await forwarded;
  const own = request("terminal/create", { command: "true", args: [] });
  answer(await asked(ASK), selected("reject_once"));
  expect(at(await own, "error", "code")).toBe(-32003);
  expect(observer.frames.filter(({ method }) => method === ASK)).toEqual([]);
  const opened = await observer.request("session/new", { cwd: folder, mcpServers: [] });
  expect(at(opened, "error", "code")).toBe(-32003);
});

test("requests other than questions, files and commands pass", async () => {
  const { request, asked, answer, decisions } = await policyRig({
    rules: [{ decision: "deny" }],
    files: "server",
  });
  const response = request("_vendor/thing", { x: 1 });
  answer(await asked("_vendor/thing"), { y: 2 });
  expect((await response)["result"]).toEqual({ y: 2 });
  expect(decisions()).toEqual([]);
});

test("the permission requests of version 2 are judged by the same rules", async () => {
  const agent = new RawAgent({
    initialize: () => ({
      protocolVersion: 2,
      capabilities: { session: {} },
      info: { name: "raw", version: "1" },
    }),
  });
  const { request, update, decisions, cwd } = await policyRig({
    agent,
    protocolVersion: 2,
    rules: [
      { decision: "deny", kind: "execute", command: "rm" },
      { decision: "deny", kind: "edit", path: "secrets/**" },
      { decision: "allow" },
    ],
  });
  const path = join(cwd, "secrets/key");
  update({
    sessionUpdate: "tool_call_update",
    toolCallId: "t1",
    title: "Read",
    kind: "edit",
    status: "pending",
    locations: [{ path }],
  });
  const about = (subject: object) => ({ title: "Allow?", subject, options: OPTIONS });
  const call = await request(ASK, about({ type: "tool_call", toolCall: { toolCallId: "t1" } }));
  expect(call["result"]).toEqual(selected("no"));
  const rm = await request(ASK, about({ type: "command", command: "rm -rf x", cwd }));
  expect(rm["result"]).toEqual(selected("no"));
  const ls = await request(ASK, about({ type: "command", command: "ls", cwd }));
  expect(ls["result"]).toEqual(selected("yes"));
  expect(decisions()).toMatchObject([
    { kind: "edit", targets: ["$/secrets/key"], by: { rule: 2 } },
    { kind: "execute", targets: ["rm -rf x"], by: { rule: 1 } },
    { kind: "execute", targets: ["ls"], by: { rule: 3 } },
  ]);
});

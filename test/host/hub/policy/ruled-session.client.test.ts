// Files and commands of the client, which a hub only passes on.
import { join } from "node:path";
import { expect, test } from "vitest";
import { at } from "../rig.ts";
import { permission, policyRig, selected } from "./policy-rig.ts";

const ASK = "session/request_permission";
const WRITE = "fs/write_text_file";
const READ = "fs/read_text_file";

test("work that no rule matches goes to the client, with its terminals", async () => {
  const { request, asked, answer, decisions, cwd } = await policyRig({
    rules: [{ decision: "deny", kind: "fetch" }],
  });
  const path = join(cwd, "a");
  const write = request(WRITE, { path, content: "text" });
  answer(await asked(WRITE), {});
  expect((await write)["result"]).toEqual({});
  const create = request("terminal/create", { command: "ls", args: ["-l"] });
  answer(await asked("terminal/create"), { terminalId: "x" });
  expect((await create)["result"]).toEqual({ terminalId: "x" });
  const wait = request("terminal/wait_for_exit", { terminalId: "x" });
  answer(await asked("terminal/wait_for_exit"), { exitCode: 0, signal: null });
  expect(at(await wait, "result", "exitCode")).toBe(0);
  const by = { type: "client", client: "me" };
  await expect.poll(decisions).toEqual([
    { method: WRITE, kind: "edit", targets: ["$/a"], decision: "allow", by },
    { method: "terminal/create", kind: "execute", targets: [["ls", "-l"]], decision: "allow", by },
  ]);
});

test.each([
  [READ, "read", { path: "$/secrets/key" }],
  [WRITE, "edit", { path: "$/secrets/key", content: "stolen" }],
  [READ, "read", { path: "$/src/../secrets/key" }],
  ["terminal/create", "execute", { command: "rm", args: ["-rf", "x"] }],
  ["terminal/create", "execute", { command: "rm -rf x" }],
])("a rule denies %s before the client sees it", async (method, kind, params) => {
  const { request, client, decisions, cwd } = await policyRig({
    rules: [
      { decision: "deny", path: "secrets/**" },
      { decision: "deny", command: "rm" },
      { decision: "allow" },
    ],
  });
  const here: object = JSON.parse(JSON.stringify(params).replaceAll("$", cwd));
  expect((await request(method, here))["error"]).toEqual({
    code: -32003,
    message: "Permission denied",
    data: { reason: "permission-denied", kind },
  });
  expect(decisions()).toMatchObject([{ method, kind, decision: "deny", by: { type: "rule" } }]);
  expect(client.frames.filter((frame) => frame["method"] === method)).toEqual([]);
});

test("a rule that allows leaves the work to the client", async () => {
  const { request, asked, answer, decisions, cwd } = await policyRig({
    rules: [{ decision: "allow", path: "**" }],
  });
  const read = request(READ, { path: join(cwd, "a") });
  answer(await asked(READ), { content: "text" });
  expect((await read)["result"]).toEqual({ content: "text" });
  expect(decisions()).toMatchObject([{ decision: "allow", by: { type: "rule", rule: 1 } }]);
});

test("a rule that says ask asks with a question before the client gets the work", async () => {
  const { request, asked, answer, decisions, cwd, client } = await policyRig({
    rules: [{ decision: "ask", path: "src/**" }],
  });
  const path = join(cwd, "src/a");
  const denied = request(WRITE, { path, content: "new" });
  const question = await asked(ASK);
  expect(at(question, "params", "toolCall")).toMatchObject({
    title: `Write ${path}`,
    kind: "edit",
    locations: [{ path }],
    content: [{ type: "diff", path, oldText: null, newText: "new" }],
  });
  expect(at(question, "params", "options")).toMatchObject([
    { kind: "allow_once" },
    { kind: "reject_once" },
  ]);
  answer(question, selected("reject_once"));
  expect(at(await denied, "error", "code")).toBe(-32003);
  expect(client.frames.filter(({ method }) => method === WRITE)).toEqual([]);
  const allowed = request(WRITE, { path, content: "new" });
  answer(await asked(ASK), selected("allow_once"));
  answer(await asked(WRITE), {});
  expect((await allowed)["result"]).toEqual({});
  const by = { type: "client", client: "me" };
  expect(decisions()).toMatchObject([
    { decision: "deny", by },
    { decision: "allow", by },
  ]);
});

test("work of a tool call that was allowed is not asked about again, once", async () => {
  const { request, update, asked, answer, cwd } = await policyRig({
    rules: [{ decision: "ask", path: "src/**" }],
  });
  const path = join(cwd, "src/a");
  const toolCall = { toolCallId: "t1", kind: "edit", locations: [{ path }] };
  update({ sessionUpdate: "tool_call", title: "Edit", ...toolCall });
  const question = request(ASK, permission(toolCall));
  answer(await asked(ASK), selected("yes"));
  await question;
  const first = request(WRITE, { path, content: "new" });
  answer(await asked(WRITE), {});
  await first;
  const second = request(WRITE, { path, content: "newer" });
  const again = await asked(ASK);
  expect(at(again, "params", "toolCall", "title")).toBe(`Write ${path}`);
  answer(again, selected("reject_once"));
  expect(at(await second, "error", "code")).toBe(-32003);
});

test("work that is not valid does not slip past the rules", async () => {
  const { request, client, decisions } = await policyRig({
    rules: [{ decision: "deny", path: "secrets" }],
  });
  const response = await request(WRITE, { path: "secrets/key", content: "stolen" });
  expect(at(response, "error", "code")).toBe(-32602);
  expect(decisions()).toMatchObject([{ decision: "deny", by: { type: "invalid" } }]);
  expect(client.frames.filter(({ method }) => method === WRITE)).toEqual([]);
});

test("the capabilities of the client reach the agent unchanged", async () => {
  const { run } = await policyRig({ rules: [] });
  const initialize = await run.untilMethod("initialize");
  expect(at(initialize, "params", "clientCapabilities")).toEqual({});
});

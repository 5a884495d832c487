// Files and commands on the machine of the hub.
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../../../src/base/index.ts";
import { at, prompt, RawAgent, scratchFolder } from "../rig.ts";
import { permission, policyRig, selected } from "./policy-rig.ts";

const ASK = "session/request_permission";
const WRITE = "fs/write_text_file";
const READ = "fs/read_text_file";
const CREATE = "terminal/create";

const server = (options: Parameters<typeof policyRig>[0] = {}) =>
  policyRig({ files: "server", ...options });

/** A session in which the hub runs a long command, and the id of its process. */
async function commandRunning() {
  const rig = await server({ rules: [{ decision: "allow" }] });
  const command = "echo $$ > pid; exec sleep 600";
  const create = await rig.request(CREATE, { command: "sh", args: ["-c", command] });
  expect(create).toHaveProperty("result");
  const pid = async () => Number(await readFile(join(rig.cwd, "pid"), "utf8").catch(() => ""));
  await expect.poll(pid).toBeGreaterThan(1);
  return { ...rig, started: await pid() };
}

test("the hub offers files and terminals in the client's place", async () => {
  const { run } = await server();
  const initialize = await run.untilMethod("initialize");
  expect(at(initialize, "params", "clientCapabilities")).toEqual({
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
  });
});

test("reads inside the session's folder are allowed and never reach the client", async () => {
  const { request, client, decisions, cwd } = await server();
  await writeFile(join(cwd, "a"), "one\ntwo\n");
  const path = join(cwd, "a");
  expect((await request(READ, { path }))["result"]).toEqual({ content: "one\ntwo\n" });
  const part = await request(READ, { path, line: 2, limit: 1 });
  expect(at(part, "result", "content")).toMatch(/^two/);
  expect(client.frames.filter(({ method }) => method !== undefined)).toEqual([]);
  expect(decisions()).toMatchObject([
    { method: READ, targets: ["$/a"], decision: "allow", by: { type: "default" } },
    { decision: "allow" },
  ]);
});

test("a write is asked about with its change, and done here", async () => {
  const { request, asked, answer, decisions, cwd, client } = await server();
  const path = join(cwd, "a");
  await writeFile(path, "old");
  const write = request(WRITE, { path, content: "new" });
  const question = await asked(ASK);
  expect(at(question, "params", "toolCall")).toMatchObject({
    title: `Write ${path}`,
    kind: "edit",
    status: "pending",
    content: [{ type: "diff", path, oldText: "old", newText: "new" }],
  });
  expect(at(question, "params", "options")).toHaveLength(4);
  expect(await readFile(path, "utf8")).toBe("old");
  answer(question, selected("allow_once"));
  expect((await write)["result"]).toEqual({});
  expect(await readFile(path, "utf8")).toBe("new");
  expect(client.frames.filter(({ method }) => method === WRITE)).toEqual([]);
  expect(decisions()).toMatchObject([{ decision: "allow", by: { type: "client", client: "me" } }]);
});

test.each([
  ["a rejected write", selected("reject_once")],
  ["a cancelled question", { outcome: { outcome: "cancelled" } }],
  ["an answer that is not in the protocol", { outcome: { outcome: "sure" } }],
  ["an answer that was not offered", selected("yes")],
])("%s is not done", async (_, result) => {
  const { request, asked, answer, cwd } = await server();
  const write = request(WRITE, { path: join(cwd, "a"), content: "new" });
  answer(await asked(ASK), result);
  expect(at(await write, "error", "code")).toBe(-32003);
  expect(existsSync(join(cwd, "a"))).toBe(false);
});

test("without a client, writes and commands are denied", async () => {
  const { request, client, decisions, cwd } = await server({ hub: { limits: { idleMs: 60_000 } } });
  await client.lose();
  await client.gone;
  const write = await request(WRITE, { path: join(cwd, "a"), content: "new" });
  expect(at(write, "error", "code")).toBe(-32003);
  const run = await request(CREATE, { command: "touch", args: ["b"] });
  expect(at(run, "error", "code")).toBe(-32003);
  expect(existsSync(join(cwd, "a")) || existsSync(join(cwd, "b"))).toBe(false);
  expect(decisions()).toMatchObject([
    { decision: "deny", by: { type: "unattended" } },
    { decision: "deny", by: { type: "unattended" } },
  ]);
});

test("a choice for all work of a kind holds for the session, but not against a rule", async () => {
  const { request, asked, answer, decisions, cwd } = await server({
    rules: [{ decision: "deny", path: "secrets/**" }],
  });
  const write = (name: string) => request(WRITE, { path: join(cwd, name), content: "new" });
  const first = write("a");
  answer(await asked(ASK), selected("allow_always"));
  expect((await first)["result"]).toEqual({});
  expect((await write("b"))["result"]).toEqual({});
  expect(at(await write("secrets/key"), "error", "code")).toBe(-32003);
  expect(decisions()).toMatchObject([
    { by: { type: "client" } },
    { decision: "allow", by: { type: "remembered" } },
    { decision: "deny", by: { type: "rule" } },
  ]);
});

test("a rule that allows writes, and one that asks about reads, decide first", async () => {
  const { request, asked, answer, cwd } = await server({
    rules: [
      { decision: "allow", kind: "edit", path: "src/**" },
      { decision: "ask", kind: "read" },
    ],
  });
  const path = join(cwd, "src/new/a");
  expect((await request(WRITE, { path, content: "x" }))["result"]).toEqual({});
  expect(await readFile(path, "utf8")).toBe("x");
  const read = request(READ, { path });
  const question = await asked(ASK);
  expect(at(question, "params", "toolCall", "title")).toBe(`Read ${path}`);
  expect(at(question, "params", "options")).toHaveLength(2);
  answer(question, selected("reject_once"));
  expect(at(await read, "error", "code")).toBe(-32003);
});

test.each([
  ["a path outside the session's folder", "$/../outside/key"],
  ["an absolute path elsewhere", "/etc/hostname"],
  ["a link to a file outside", "$/file-link"],
  ["a path through a link to a folder outside", "$/folder-link/key"],
  ["a link that leads nowhere yet", "$/dangling"],
])("%s can be neither read nor written, and no client is asked", async (_, name) => {
  const top = await scratchFolder();
  const cwd = join(top, "work");
  await mkdir(cwd);
  await mkdir(join(top, "outside"));
  await writeFile(join(top, "outside/key"), "secret");
  await symlink("../outside/key", join(cwd, "file-link"));
  await symlink("../outside", join(cwd, "folder-link"));
  await symlink("../outside/new", join(cwd, "dangling"));
  const { request, client, decisions } = await server({ cwd, rules: [{ decision: "allow" }] });
  const path = name.replace("$", cwd);
  for (const response of [
    await request(READ, { path }),
    await request(WRITE, { path, content: "stolen" }),
  ]) {
    expect(at(response, "error", "code")).toBe(-32602);
    expect(at(response, "error", "data")).toEqual({ path, reason: "outside" });
  }
  const run = await request(CREATE, { command: "true", cwd: dirname(path) });
  expect(run).toHaveProperty(dirname(path) === cwd ? "result" : "error");
  expect(await readFile(join(top, "outside/key"), "utf8")).toBe("secret");
  expect(existsSync(join(top, "outside/new"))).toBe(false);
  expect(client.frames.filter(({ method }) => method !== undefined)).toEqual([]);
  expect(decisions().slice(0, 2)).toMatchObject([
    { decision: "deny", by: { type: "roots" } },
    { decision: "deny", by: { type: "roots" } },
  ]);
});

test("a session's folder that is replaced by a link is not followed", async () => {
  const top = await scratchFolder();
  const cwd = join(top, "work");
  await mkdir(cwd);
  await writeFile(join(top, "key"), "secret");
  const { request } = await server({ cwd });
  await rename(cwd, join(top, "moved"));
  await symlink(".", cwd);
  const read = await request(READ, { path: join(cwd, "key") });
  expect(at(read, "error", "code")).toBe(-32602);
});

test("a session that was opened through a link gets no files", async () => {
  const top = await scratchFolder();
  await mkdir(join(top, "real"));
  await writeFile(join(top, "real/a"), "text");
  await symlink("real", join(top, "link"));
  const { request, decisions } = await server({ cwd: join(top, "link") });
  const read = await request(READ, { path: join(top, "link/a") });
  expect(at(read, "error", "message")).toBe("The folder of the session has moved");
  expect(decisions()).toMatchObject([{ decision: "deny", by: { type: "roots" } }]);
});

test("a command is asked about in full, runs here and is ended with its session", async () => {
  const { request, asked, answer, cwd, client, sessionId } = await server();
  const env = [{ name: "WORD", value: "hello" }];
  const create = request(CREATE, {
    command: "sh",
    args: ["-c", "echo $WORD $PWD; exec sleep 600"],
    env,
  });
  const question = await asked(ASK);
  expect(at(question, "params", "toolCall")).toMatchObject({
    title: 'Run sh -c "echo $WORD $PWD; exec sleep 600"',
    kind: "execute",
    rawInput: {
      command: ["sh", "-c", "echo $WORD $PWD; exec sleep 600"],
      cwd,
      env: { WORD: "hello" },
    },
  });
  answer(question, selected("allow_once"));
  const terminalId = at(await create, "result", "terminalId");
  const output = async () =>
    at(await request("terminal/output", { terminalId }), "result", "output");
  await expect.poll(output).toBe(`hello ${cwd}\n`);
  const exit = request("terminal/wait_for_exit", { terminalId });
  expect((await request("terminal/kill", { terminalId }))["result"]).toEqual({});
  expect(at(await exit, "result", "signal")).toBe("SIGTERM");
  expect((await request("terminal/release", { terminalId }))["result"]).toEqual({});
  expect(sessionId).toBeDefined();
  expect(client.frames.filter(({ method }) => String(method).startsWith("terminal/"))).toEqual([]);
});

test("nothing that a command left running outlives the hub", async () => {
  const { hub, started } = await commandRunning();
  process.kill(started, 0);
  await hub.close();
  expect(() => process.kill(started, 0)).toThrow("ESRCH");
});

test("a tool call that a client allowed covers its write once, and a deny rule still holds", async () => {
  const { request, update, asked, answer, cwd } = await server({
    rules: [{ decision: "deny", kind: "read", path: "secrets/**" }],
  });
  await mkdir(join(cwd, "secrets"));
  const path = join(cwd, "secrets/key");
  await writeFile(path, "secret");
  const toolCall = { toolCallId: "t1", kind: "edit", locations: [{ path }] };
  update({ sessionUpdate: "tool_call", title: "Edit", ...toolCall });
  const question = request(ASK, permission(toolCall));
  answer(await asked(ASK), selected("yes"));
  await question;
  // The gate lets an edit read its file first, but a rule denies that.
  expect(at(await request(READ, { path }), "error", "code")).toBe(-32003);
  expect((await request(WRITE, { path, content: "new" }))["result"]).toEqual({});
  const second = request(WRITE, { path, content: "newer" });
  answer(await asked(ASK), selected("reject_once"));
  expect(at(await second, "error", "code")).toBe(-32003);
});

test("work that is not valid gets the gate's explanation", async () => {
  const { request } = await server({ rules: [{ decision: "allow" }] });
  const response = await request(READ, { path: 7 });
  expect(at(response, "error", "code")).toBe(-32602);
  expect(at(response, "error", "data", "errors")).toMatchObject([{ path: "path" }]);
});

test("the commands of an agent end with its process", async () => {
  const { run, started } = await commandRunning();
  await run.channel.close();
  await expect.poll(() => isRunning(started), { timeout: 10_000 }).toBe(false);
});

test("a cancelled turn ends the hub's question, and its work is not done", async () => {
  const agent = new RawAgent({ "session/prompt": () => undefined });
  const { request, asked, answer, client, sessionId, decisions, cwd } = await server({ agent });
  void client.request("session/prompt", prompt(sessionId, "go"));
  await agent.run.untilMethod("session/prompt");
  const write = request(WRITE, { path: join(cwd, "a"), content: "new" });
  const question = await asked(ASK);
  client.notify("session/cancel", { sessionId });
  expect(at(await write, "error", "code")).toBe(-32800);
  answer(question, selected("allow_once"));
  const read = await request(READ, { path: join(cwd, "a") });
  expect(at(read, "error", "code")).toBe(-32002);
  expect(existsSync(join(cwd, "a"))).toBe(false);
  expect(decisions()).toMatchObject([
    { decision: "cancel", by: { type: "cancelled" } },
    { kind: "read", decision: "allow" },
  ]);
});

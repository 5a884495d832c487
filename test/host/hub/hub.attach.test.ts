import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Hub, HubOptions } from "../../../src/host/hub/index.ts";
import {
  askPermission,
  at,
  connect,
  INITIALIZE,
  OPEN,
  prompt,
  RawAgent,
  scratchFolder,
  started,
  testHub,
  update,
  withSession,
} from "./rig.ts";

let folder: string;
beforeEach(async () => {
  folder = await scratchFolder();
});

/** A client with a session in a hub that shares sessions. */
const shared = (
  handlers: Parameters<typeof started>[0] = {},
  options: HubOptions = {},
  client: Parameters<typeof started>[2] = {},
) => started(handlers, { log: { folder }, ...options }, client);

const ATTACH = { ...INITIALIZE, _meta: { "dragoman/attach": true } };

/** A client that only attaches. */
async function observer(hub: Hub, agent: RawAgent, sessionId: string, params: object = {}) {
  const client = connect(hub, agent);
  await client.request("initialize", ATTACH);
  const attached = await client.request("_dragoman/session/attach", { sessionId, ...params });
  return { client, attached };
}

test("lists the sessions of the owner, and starts no agent for it", async () => {
  const { agent, hub, sessionId } = await shared();
  const other = connect(hub, agent, { owner: "other" });
  await other.request("initialize", ATTACH);
  expect(at(await other.request("_dragoman/session/list", {}), "result", "sessions")).toEqual([]);
  const own = connect(hub, agent);
  await own.request("initialize", ATTACH);
  const { result } = await own.request("_dragoman/session/list", {});
  expect(at(result, "sessions")).toEqual([
    expect.objectContaining({ sessionId, cwd: "/work", controllers: 1, isBusy: false }),
  ]);
  expect(agent.runs).toHaveLength(1);
});

test("replays what was said, with positions, and then follows", async () => {
  const { agent, hub, client, sessionId } = await shared();
  await client.request("session/prompt", prompt(sessionId, "one"));
  const { client: second, attached } = await observer(hub, agent, sessionId);
  expect(at(attached, "result")).toMatchObject({ role: "controller", seq: 3, first: 1 });
  expect(second.texts).toEqual(["one", "echo one"]);
  await client.request("session/prompt", prompt(sessionId, "two"));
  const end = await second.until((frame) => at(frame, "params", "_meta", "dragoman/seq") === 6);
  expect(at(end, "method")).toBe("_dragoman/session/turn_ended");
  expect(at(end, "params", "stopReason")).toBe("end_turn");
  expect(second.texts).toEqual(["one", "echo one", "two", "echo two"]);
  const seqs = second.frames.map((frame) => at(frame, "params", "_meta", "dragoman/seq"));
  expect(seqs.filter(Boolean)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("shows a client neither its own prompt nor anything of the hub", async () => {
  const { client, sessionId } = await shared();
  await client.request("session/prompt", prompt(sessionId, "one"));
  expect(client.lines.slice(2)).toEqual([
    JSON.stringify(update(sessionId, "echo one")),
    '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}',
  ]);
});

test("shares an open session with a plain client that loads it", async () => {
  const { agent, hub, client, sessionId } = await shared();
  await client.request("session/prompt", prompt(sessionId, "one"));
  const second = connect(hub, agent);
  await second.request("initialize", INITIALIZE);
  const loaded = await second.request("session/load", { sessionId, cwd: "/work", mcpServers: [] });
  // The schema of the answer has no session id.
  expect(at(loaded, "result")).toEqual({});
  expect(second.texts).toEqual(["one", "echo one"]);
  expect(agent.run.frames.map(({ method }) => method)).not.toContain("session/load");
});

test("queues prompts of several clients in order", async () => {
  const { agent, hub, client, sessionId } = await shared({ "session/prompt": OPEN });
  const { client: second } = await observer(hub, agent, sessionId);
  const one = client.request("session/prompt", prompt(sessionId, "one"));
  const first = await agent.run.untilMethod("session/prompt");
  const two = second.request("session/prompt", prompt(sessionId, "two"));
  await second.request("_dragoman/session/list", {});
  expect(agent.prompts).toEqual(["one"]);
  agent.run.send({ jsonrpc: "2.0", id: first["id"], result: { stopReason: "end_turn" } });
  await one;
  const next = await agent.run.until(
    (frame) =>
      at(frame, "params", "prompt", "0") === undefined && JSON.stringify(frame).includes("two"),
  );
  agent.run.send({ jsonrpc: "2.0", id: next["id"], result: { stopReason: "max_tokens" } });
  expect(at(await two, "result", "stopReason")).toBe("max_tokens");
});

test("cancels a prompt that waits, without touching the running one", async () => {
  const { agent, hub, client, sessionId } = await shared({ "session/prompt": OPEN });
  const { client: second } = await observer(hub, agent, sessionId);
  void client.request("session/prompt", prompt(sessionId, "one")).catch(() => {});
  await agent.run.untilMethod("session/prompt");
  const two = second.request("session/prompt", prompt(sessionId, "two"));
  second.notify("session/cancel", { sessionId });
  expect(at(await two, "result", "stopReason")).toBe("cancelled");
  expect(agent.prompts).toEqual(["one"]);
  await second.request("_dragoman/session/list", {});
  expect(agent.run.frames.map(({ method }) => method)).not.toContain("session/cancel");
});

test("asks all controllers, takes the first answer, and withdraws the others", async () => {
  const { agent, hub, client, sessionId } = await shared();
  const { client: second } = await observer(hub, agent, sessionId);
  const { client: watcher } = await observer(hub, agent, sessionId, { role: "observer" });
  const question = { sessionId, toolCall: { toolCallId: "t" }, options: [] };
  agent.run.send({ jsonrpc: "2.0", id: 9, method: "session/request_permission", params: question });
  const [mine, theirs] = await Promise.all([
    client.untilMethod("session/request_permission"),
    second.untilMethod("session/request_permission"),
  ]);
  const outcome = { outcome: { outcome: "selected", optionId: "yes" } };
  second.send({ jsonrpc: "2.0", id: theirs["id"], result: outcome });
  const withdrawn = await client.untilMethod("$/cancel_request");
  expect(at(withdrawn, "params", "requestId")).toBe(mine["id"]);
  expect(await agent.run.until((frame) => frame["id"] === 9)).toMatchObject({ result: outcome });
  client.send({ jsonrpc: "2.0", id: mine["id"], result: { outcome: { outcome: "cancelled" } } });
  await client.request("session/list", {});
  expect(agent.run.frames.filter((frame) => frame["id"] === 9)).toHaveLength(1);
  expect(watcher.frames.map(({ method }) => method)).not.toContain("session/request_permission");
});

test("refuses everything but reading to an observer", async () => {
  const { agent, hub, sessionId } = await shared();
  const { client } = await observer(hub, agent, sessionId, { role: "observer" });
  const methods = ["prompt", "set_mode", "close", "fork", "delete"].map(
    (name) => `session/${name}`,
  );
  for (const method of [...methods, "_vendor/x"]) {
    const answer = await client.request(method, prompt(sessionId, "hi"));
    expect(at(answer, "error", "code")).toBe(-32003);
  }
  client.notify("session/cancel", { sessionId });
  await client.request("_dragoman/session/list", {});
  expect(agent.run.frames.map(({ method }) => method)).toEqual(["initialize", "session/new"]);
});

test("lets a client with the role of an observer only observe", async () => {
  const { agent, hub, sessionId } = await shared();
  const client = connect(hub, agent, { role: "observer" });
  await client.request("initialize", ATTACH);
  const params = { sessionId, role: "controller" };
  expect(at(await client.request("_dragoman/session/attach", params), "error", "code")).toBe(
    -32003,
  );
  const attached = await client.request("_dragoman/session/attach", { sessionId });
  expect(at(attached, "result", "role")).toBe("observer");
});

test("gives a client that comes back what it missed, while the turn goes on", async () => {
  const { agent, hub, client, sessionId } = await shared(
    { "session/prompt": OPEN },
    {},
    { graceMs: 60_000 },
  );
  void client.request("session/prompt", prompt(sessionId, "work")).catch(() => {});
  const running = await agent.run.untilMethod("session/prompt");
  agent.run.send(update(sessionId, "before"));
  await client.untilText("before");
  await client.lose();
  await client.gone;
  agent.run.send(update(sessionId, "meanwhile"));
  askPermission(agent.run, sessionId, 1);
  const { client: back, attached } = await observer(hub, agent, sessionId, { after: 2 });
  expect(at(attached, "result", "isBusy")).toBe(true);
  await back.untilMethod("session/request_permission");
  expect(back.texts).toEqual(["meanwhile"]);
  agent.run.send({ jsonrpc: "2.0", id: running["id"], result: { stopReason: "end_turn" } });
  const end = await back.untilMethod("_dragoman/session/turn_ended");
  expect(at(end, "params", "stopReason")).toBe("end_turn");
});

test("cancels the turn and its question if the client does not come back in time", async () => {
  const limits = { idleMs: 60_000 };
  const { agent, client, sessionId } = await shared(
    { "session/prompt": OPEN },
    { limits },
    { graceMs: 5 },
  );
  void client.request("session/prompt", prompt(sessionId, "work")).catch(() => {});
  await agent.run.untilMethod("session/prompt");
  askPermission(agent.run, sessionId, 1);
  await client.untilMethod("session/request_permission");
  await client.lose();
  const answer = await agent.run.until((frame) => frame["id"] === 1 && "result" in frame);
  expect(at(answer, "result", "outcome", "outcome")).toBe("cancelled");
  await agent.run.untilMethod("session/cancel");
});

test("serves a slow client from disk at its own pace, while the others go on", async () => {
  const { agent, hub, client, sessionId } = await shared(
    {},
    {
      log: { folder, memoryBytes: 20_000 },
      limits: { maxUnsentBytes: 1000 },
    },
  );
  const { client: slow } = await observer(hub, agent, sessionId);
  slow.channel.pause();
  for (let count = 0; count < 2000; count++) {
    await agent.run.channel.send(JSON.stringify(update(sessionId, `line ${count}`)));
  }
  await client.untilText("line 1999");
  expect(slow.lines.length).toBeLessThan(1000);
  const [hubFolder = ""] = readdirSync(folder);
  expect(readdirSync(join(folder, hubFolder)).length).toBeGreaterThan(2);
  slow.channel.resume();
  await slow.untilText("line 1999");
  expect(slow.texts).toEqual(Array.from({ length: 2000 }, (_, index) => `line ${index}`));
  await hub.close();
  expect(readdirSync(folder)).toEqual([]);
});

test("cuts a client off that is further behind than the log goes back", async () => {
  const { agent, hub, client, sessionId } = await shared(
    {},
    {
      log: { folder, memoryBytes: 5000, diskBytes: 5000 },
      limits: { maxUnsentBytes: 1000 },
    },
  );
  const { client: slow } = await observer(hub, agent, sessionId);
  slow.channel.pause();
  for (let count = 0; count < 2000; count++) {
    await agent.run.channel.send(JSON.stringify(update(sessionId, `line ${count}`)));
  }
  await client.untilText("line 1999");
  slow.channel.resume();
  await slow.channel.closed;
  const { attached } = await observer(hub, agent, sessionId);
  expect(Number(at(attached, "result", "first"))).toBeGreaterThan(1);
});

test("keeps the sessions of an agent apart by owner", async () => {
  const agent = new RawAgent({
    "session/list": () => ({ sessions: [{ sessionId: "s1" }, { sessionId: "theirs" }] }),
  });
  const hub = hubWithOwners();
  const { client } = await withSession(hub, agent);
  // An agent has more requests than one of its clients, so their ids differ.
  await (await withSession(hub, agent)).client.request("session/list", {});
  const listed = await client.request("session/list", {});
  expect(at(listed, "result", "sessions")).toEqual([{ sessionId: "s1" }]);
  const refused = await client.request("session/load", {
    sessionId: "theirs",
    cwd: "/",
    mcpServers: [],
  });
  expect(at(refused, "error", "code")).toBe(-32002);
});

test("deleting a session that the client does not have succeeds and does not reach the agent", async () => {
  const deleted: unknown[] = [];
  const agent = new RawAgent({
    "session/delete": ({ params }) => {
      deleted.push(at(params, "sessionId"));
      return {};
    },
  });
  const { client: unable } = await withSession(hubWithOwners(), agent);
  const refused = await unable.request("session/delete", { sessionId: "theirs" });
  expect(at(refused, "error", "code")).toBe(-32601);

  agent.capabilities = { sessionCapabilities: { delete: {} } };
  const { client, sessionId } = await withSession(hubWithOwners(), agent);
  for (const id of [sessionId, sessionId, "theirs", "unknown"]) {
    const answer = await client.request("session/delete", { sessionId: id });
    expect(at(answer, "result")).toEqual({});
  }
  expect(deleted).toEqual([sessionId]);
});

/** A hub where another owner has the session `theirs`. */
function hubWithOwners(): Hub {
  const known = new Map([["theirs", "other"]]);
  return testHub({
    owners: {
      ownerOf: (id) => known.get(id),
      add: (id, owner) => void known.set(id, owner),
      remove: (id) => void known.delete(id),
    },
  });
}

test("does not let one client that reads nothing hold up the others of the same agent", async () => {
  const { agent, hub, ...stalled } = await shared({}, { limits: { maxUnsentBytes: 1000 } });
  const other = await withSession(hub, agent);
  stalled.client.channel.pause();
  for (let count = 0; count < 1000; count++) {
    await agent.run.channel.send(JSON.stringify(update(stalled.sessionId, `line ${count}`)));
  }
  const answer = await other.client.request("session/prompt", prompt(other.sessionId, "hello"));
  expect(at(answer, "result", "stopReason")).toBe("end_turn");
});

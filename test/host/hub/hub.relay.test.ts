import { expect, test } from "vitest";
import {
  askPermission,
  at,
  connect,
  INITIALIZE,
  OPEN,
  prompt,
  RawAgent,
  started,
  testHub,
  update,
  withSession,
} from "./rig.ts";

test("passes a turn on, with the client's own ids", async () => {
  const { client, sessionId } = await started();
  const answer = await client.request("session/prompt", prompt(sessionId, "hello"), "turn");
  expect(answer).toEqual({ jsonrpc: "2.0", id: "turn", result: { stopReason: "end_turn" } });
  expect(client.texts).toEqual(["echo hello"]);
});

test("keeps the ids of two clients apart", async () => {
  const agent = new RawAgent();
  const hub = testHub();
  const first = await withSession(hub, agent);
  const second = await withSession(hub, agent);
  expect(agent.runs).toHaveLength(1);
  const answers = await Promise.all([
    first.client.request("session/prompt", prompt(first.sessionId, "one"), 7),
    second.client.request("session/prompt", prompt(second.sessionId, "two"), 7),
  ]);
  expect(answers.map((answer) => at(answer, "result", "stopReason"))).toEqual([
    "end_turn",
    "end_turn",
  ]);
  expect(first.client.texts).toEqual(["echo one"]);
  expect(second.client.texts).toEqual(["echo two"]);
});

test("starts a process of its own for a client that initializes differently", async () => {
  const agent = new RawAgent();
  const hub = testHub();
  await withSession(hub, agent);
  const other = connect(hub, agent);
  await other.request("initialize", { protocolVersion: 1, clientCapabilities: { terminal: true } });
  expect(agent.runs).toHaveLength(2);
});

test("delivers updates that arrive before the answer to session/new", async () => {
  const agent = new RawAgent({
    "session/new": (_, run) => {
      run.send(update("early", "commands"));
      return { sessionId: "early" };
    },
  });
  const { client } = await withSession(testHub(), agent);
  expect(client.texts).toEqual(["commands"]);
});

test("translates the id in $/cancel_request, in both directions", async () => {
  const { agent, client, sessionId } = await started({ "_slow/work": OPEN });
  client.send({ jsonrpc: "2.0", id: "mine", method: "_slow/work", params: { sessionId } });
  const work = await agent.run.untilMethod("_slow/work");
  client.notify("$/cancel_request", { requestId: "mine" });
  const cancel = await agent.run.untilMethod("$/cancel_request");
  expect(at(cancel, "params", "requestId")).toBe(work["id"]);
  askPermission(agent.run, sessionId, 55);
  const asked = await client.untilMethod("session/request_permission");
  agent.run.notify("$/cancel_request", { requestId: 55 });
  const withdrawn = await client.untilMethod("$/cancel_request");
  expect(at(withdrawn, "params", "requestId")).toBe(asked["id"]);
  const answer = await agent.run.until((frame) => frame["id"] === 55);
  expect(at(answer, "error", "code")).toBe(-32800);
});

test("answers text that is not JSON, and a request before initialize", async () => {
  const client = connect(testHub(), new RawAgent());
  client.send("{not json");
  expect(at(await client.until((frame) => frame["id"] === null), "error", "code")).toBe(-32700);
  const early = await client.request("session/new", {});
  expect(at(early, "error", "message")).toMatch(/first request must be initialize/);
});

test("pauses an agent whose client reads nothing, and loses no line", async () => {
  const { agent, client, sessionId } = await started({}, { limits: { maxUnsentBytes: 10_000 } });
  client.channel.pause();
  let sent = 0;
  const flood = async (): Promise<void> => {
    for (; sent < 5000; sent++) {
      await agent.run.channel.send(JSON.stringify(update(sessionId, `line ${sent}`)));
    }
  };
  const flooding = flood();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(sent).toBeLessThan(5000);
  client.channel.resume();
  await flooding;
  await client.untilText("line 4999");
  expect(client.texts).toEqual(Array.from({ length: 5000 }, (_, index) => `line ${index}`));
});

test("answers initialize with an error that names the reason if the agent cannot be started", async () => {
  const agent = new RawAgent();
  agent.startError = new Error("no such file");
  const client = connect(testHub(), agent);
  const answer = await client.request("initialize", INITIALIZE);
  expect(at(answer, "error", "message")).toBe("raw could not be started: no such file");
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AcpClient, ATTACH_META, ATTACH_METHODS, SEQ_META } from "../../../../src/client/index.ts";
import {
  fleetClient,
  type FleetEngine,
  gatewayHub,
  memoryFleet,
} from "../../../../src/host/fleet/index.ts";
import {
  type HubClientOptions,
  type HubEvent,
  NamedRootLimits,
} from "../../../../src/host/hub/index.ts";
import { Peer } from "../../../../src/transport/rpc/index.ts";
import { asObject, deferred, type JsonObject, quiet } from "../../../../src/base/index.ts";
import { type Channel, memoryPair } from "../../../../src/transport/wire/index.ts";
import { ADA } from "../../hub/serve/rig.ts";
import { SHORT_LIMITS } from "../contract.ts";
import { testAgent, testWorker, WAIT } from "../rig.ts";

const AGENT = { name: "test", key: "test", open: () => Promise.reject(new Error("not here")) };

/** A fleet with one worker. Each call is another gateway, and a client of it. */
async function fleet() {
  const memory = memoryFleet({ limits: SHORT_LIMITS });
  const agent = testAgent();
  await testWorker({ engine: memory.connect(), host: "a", agents: [agent] });
  const gateway = (engine: FleetEngine = memory.connect()) => {
    const hub = gatewayHub({ engine, pool: "pool" });
    onTestFinished(() => hub.close());
    return hub;
  };
  const channel = (options: Partial<HubClientOptions> = {}): Channel => {
    const [near, far] = memoryPair();
    gateway().serve(far, { agent: AGENT, owner: "ada", ...options });
    return near;
  };
  return { agent, gateway, channel, memory };
}

async function connect(channel: Channel): Promise<AcpClient> {
  const client = await AcpClient.start({ channel, remote: true });
  onTestFinished(async () => void (await client.close()));
  return client;
}

interface RawClient {
  readonly peer: Peer;
  readonly received: JsonObject[];
  readonly asked: JsonObject[];
}

/** A client that sends any request, and gives the answers that the test chooses. */
async function raw(
  channel: Channel,
  answer: (params: JsonObject) => unknown = () => new Promise(() => {}),
  meta: JsonObject = { [SEQ_META]: true },
): Promise<RawClient> {
  const received: JsonObject[] = [];
  const asked: JsonObject[] = [];
  const peer = new Peer(channel, {
    handlers: {
      notification: (method, params) => void received.push({ method, ...asObject(params) }),
      request: (_, params) => {
        asked.push(asObject(params));
        return answer(asObject(params));
      },
    },
  });
  onTestFinished(() => void peer.close());
  await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta: meta });
  return { peer, received, asked };
}

/** A fleet, and a client with a session on a gateway of it. */
async function opened() {
  const { channel, ...rest } = await fleet();
  const first = await raw(channel());
  const { sessionId } = asObject(await first.peer.call("session/new", { cwd: "/" }));
  return { ...rest, channel, first, sessionId };
}

const text = (value: string) => [{ type: "text", text: value }];

function textOf(received: readonly JsonObject[]): string {
  return received
    .map((params) => asObject(params["update"]))
    .filter((update) => update["sessionUpdate"] === "agent_message_chunk")
    .map((update) => asObject(update["content"])["text"])
    .join("");
}

describe("a client of a gateway", () => {
  it("opens a session, and gets the answer after everything that was said", async () => {
    const { channel } = await fleet();
    const client = await connect(channel());
    const session = await client.newSession({ cwd: "/" });
    const turn = session.prompt("say 300");
    expect(await turn.text()).toBe(Array.from({ length: 300 }, (_, at) => `${at} `).join(""));
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
  });

  it("continues on another gateway from its last position, without a gap or a repetition", async () => {
    const { channel, first, sessionId } = await opened();
    await first.peer.call("session/prompt", { sessionId, prompt: text("say 5") });
    const prompt = first.peer.call("session/prompt", { sessionId, prompt: text("wait") });
    await vi.waitUntil(() => textOf(first.received).endsWith("waiting"), WAIT);
    const after = asObject(first.received.at(-1)?.["_meta"])[SEQ_META];
    await first.peer.close();
    await expect(prompt).rejects.toThrow();

    const second = await raw(channel(), undefined, { [ATTACH_META]: true });
    const attached = await second.peer.call(ATTACH_METHODS.attach, { sessionId, after });
    expect(attached).toMatchObject({ isBusy: true, role: "controller" });
    expect(second.received).toEqual([]);
    void second.peer.notify("session/cancel", { sessionId });
    await vi.waitUntil(() => second.received.length > 0, WAIT);
    expect(second.received).toMatchObject([
      { method: ATTACH_METHODS.turnEnded, stopReason: "cancelled" },
    ]);
  });

  it("replays a session to a client that loads it", async () => {
    const { channel, first, sessionId } = await opened();
    await first.peer.call("session/prompt", { sessionId, prompt: text("hello") });
    const second = await raw(channel(), undefined, {});
    await second.peer.call("session/load", { sessionId, cwd: "/", mcpServers: [] });
    const kinds = second.received.map((params) => asObject(params["update"])["sessionUpdate"]);
    expect(kinds).toEqual(["user_message_chunk", "agent_message_chunk"]);
    expect(await second.peer.call("session/list", {})).toEqual({
      sessions: [{ sessionId, cwd: "/" }],
    });
  });

  it("is asked for permission on every gateway; the first answer counts, and the others end", async () => {
    const { channel, first: asker, sessionId } = await opened();
    const other = await raw(channel(), (params) => {
      const [option] = Array.isArray(params["options"]) ? params["options"] : [];
      const optionId = asObject(option)["optionId"];
      return { outcome: { outcome: "selected", optionId } };
    });
    await other.peer.call(ATTACH_METHODS.attach, { sessionId });
    const result = await asker.peer.call("session/prompt", { sessionId, prompt: text("ask") });
    expect(result).toMatchObject({ stopReason: "end_turn" });
    expect(textOf(asker.received)).toBe("allowed");
    expect([asker.asked.length, other.asked.length]).toEqual([1, 1]);
  });

  it("that only observes is not asked, and cannot prompt", async () => {
    const { channel, first: asker, sessionId } = await opened();
    const observer = await raw(channel({ role: "observer" }), undefined, { [ATTACH_META]: true });
    await observer.peer.call(ATTACH_METHODS.attach, { sessionId });
    void asker.peer.call("session/prompt", { sessionId, prompt: text("ask") });
    await vi.waitUntil(() => asker.asked.length > 0, WAIT);
    expect(observer.asked).toEqual([]);
    const prompted = observer.peer.call("session/prompt", { sessionId, prompt: text("hello") });
    await expect(prompted).rejects.toMatchObject({ rpcCode: -32003 });
  });

  it("sees only the sessions of its tenant", async () => {
    const { channel } = await fleet();
    const ada = await raw(channel({ owner: "ada", tenant: "team" }));
    const { sessionId } = asObject(await ada.peer.call("session/new", { cwd: "/" }));
    const bob = await raw(channel({ owner: "bob", tenant: "team" }));
    const eve = await raw(channel({ owner: "eve" }));
    const listed = { sessions: [{ sessionId, cwd: "/" }] };
    expect(await bob.peer.call("session/list", {})).toEqual(listed);
    expect(await eve.peer.call("session/list", {})).toEqual({ sessions: [] });
    const methods = ["load", "resume", "close", "delete", "prompt"].map(
      (name) => `session/${name}`,
    );
    for (const method of [...methods, ATTACH_METHODS.attach]) {
      const call = eve.peer.call(method, { sessionId, cwd: "/", prompt: text("hello") });
      await expect(call).rejects.toMatchObject({ rpcCode: -32002 });
    }
  });

  it("that observes a session can neither change nor end it", async () => {
    const { channel, sessionId } = await opened();
    const other = await raw(channel());
    await other.peer.call(ATTACH_METHODS.attach, { sessionId, role: "observer" });
    for (const method of ["set_mode", "prompt", "close", "delete", "load"]) {
      const call = other.peer.call(`session/${method}`, { sessionId, prompt: text("x"), cwd: "/" });
      await expect(call).rejects.toMatchObject({ rpcCode: -32003 });
    }
  });

  it("does not reach a session if one of its additional folders is out of reach", async () => {
    const { channel, memory } = await fleet();
    const folders = { cwd: "/a", additionalDirectories: ["/secret"] };
    const ada = fleetClient(memory.connect(), "ada");
    const sessionId = await ada.create({ pool: "pool", agent: "test", ...folders });
    const mayUse: HubClientOptions["mayUse"] = ({ cwd, additionalDirectories }) =>
      [cwd, ...additionalDirectories].every((folder) => folder === "/a");
    const other = await raw(channel({ mayUse }));
    expect(await other.peer.call(ATTACH_METHODS.list, {})).toEqual({ sessions: [] });
    for (const method of [ATTACH_METHODS.attach, "session/load", "session/close", "_any"]) {
      const call = other.peer.call(method, { sessionId, cwd: "/a" });
      await expect(call).rejects.toMatchObject({ rpcCode: -32002 });
    }
  });

  it("cannot fork a session, because the copy would be outside the fleet and its rules", async () => {
    const { agent, first: asker, sessionId } = await opened();
    const fork = asker.peer.call("session/fork", { sessionId, cwd: "/elsewhere", mcpServers: [] });
    await expect(fork).rejects.toMatchObject({ rpcCode: -32601 });
    expect(agent.mcpServers).toHaveLength(1);
  });

  it("names a session by a string only", async () => {
    const { first: asker, sessionId } = await opened();
    const call = asker.peer.call("session/set_mode", { sessionId: [sessionId], modeId: "x" });
    await expect(call).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it("can send a prompt again on another gateway, and it is run once", async () => {
    const _meta = { "dragoman/promptId": "mine" };
    const { channel, agent, first, sessionId } = await opened();
    void first.peer.call("session/prompt", { sessionId, prompt: text("wait"), _meta });
    await vi.waitUntil(() => textOf(first.received) === "waiting", WAIT);
    await first.peer.close();
    const second = await raw(channel());
    await second.peer.call("session/resume", { sessionId, cwd: "/" });
    const again = second.peer.call("session/prompt", { sessionId, prompt: text("wait"), _meta });
    void second.peer.notify("session/cancel", { sessionId });
    expect(await again).toMatchObject({ stopReason: "cancelled" });
    const ended = second.peer.call("session/prompt", { sessionId, prompt: text("wait"), _meta });
    expect(await ended).toMatchObject({ stopReason: "cancelled" });
    expect(agent.prompts).toEqual(["wait"]);
  });

  it("of version 2 is served in its own version", async () => {
    const { channel } = await fleet();
    const client = await AcpClient.start({ channel: channel(), remote: true, protocol: 2 });
    onTestFinished(async () => void (await client.close()));
    const session = await client.newSession({ cwd: "/" });
    const turn = session.prompt("say 3");
    expect(await turn.text()).toBe("0 1 2 ");
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
    const sessionId = session.id;
    const other = await AcpClient.start({ channel: channel(), remote: true, protocol: 2 });
    onTestFinished(async () => void (await other.close()));
    const loaded = await other.loadSession({ sessionId, cwd: "/" });
    expect(await loaded.prompt("again").text()).toBe("again");
  });

  it("names MCP servers, which the agent gets when it opens the session, on any worker", async () => {
    const { channel, agent, memory } = await fleet();
    const server = { type: "http", name: "tools", url: "https://mcp.example", headers: [] };
    const client = await raw(channel());
    const opened = await client.peer.call("session/new", { cwd: "/", mcpServers: [server] });
    const { sessionId } = asObject(opened);
    await client.peer.call("session/close", { sessionId });
    await client.peer.call("session/resume", { sessionId, cwd: "/" });
    expect(agent.mcpServers).toEqual([[server], [server]]);
    await client.peer.call("session/close", { sessionId });
    const other = { ...server, name: "other" };
    await client.peer.call("session/load", { sessionId, cwd: "/", mcpServers: [other] });
    expect(agent.mcpServers.at(-1)).toEqual([other]);
    // The session is open now, and keeps the servers that it has.
    const second = await raw(channel());
    await second.peer.call("session/load", { sessionId, cwd: "/", mcpServers: [] });
    expect((await memory.connect().sessions.get(String(sessionId)))?.value).toContain("other");
  });

  it.each([
    ["would start a command", { name: "x", command: "x", args: [], env: [] }, /would start a/],
    ["runs in the client itself", { type: "acp", name: "x", id: "x" }, /runs in this client/],
  ])("cannot name an MCP server that %s", async (_, server, message) => {
    const { channel } = await fleet();
    const client = await raw(channel());
    const opened = client.peer.call("session/new", { cwd: "/", mcpServers: [server] });
    await expect(opened).rejects.toThrow(message);
  });

  it.each([
    [["repo", "docs"], { "dragoman/root": "/repo" }],
    [[], {}],
    [undefined, {}],
  ])("learns the first root of its token, as far as it is known (%s)", async (roots, meta) => {
    const { channel } = await fleet();
    const root = new NamedRootLimits(() => []).firstRoot({ ...ADA.grant, roots });
    const peer = new Peer(channel({ root }));
    onTestFinished(() => void peer.close());
    const result = await peer.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
    expect(asObject(result)["_meta"]).toEqual(meta);
  });

  it.each([
    ["in the same line twice", '{"sessionId":"ID","sessionId":"other","modeId":"x"}'],
    ["in another spelling", '{"session_id":"ID","modeId":"x"}'],
  ])("is refused a session that it names %s", async (_, params) => {
    const { channel } = await fleet();
    const end = channel();
    const lines: string[] = [];
    end.open((line) => void lines.push(line));
    onTestFinished(async () => void (await end.close()));
    const send = async (id: number, method: string, sent: string): Promise<JsonObject> => {
      void end.send(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${sent}}`);
      const answerTo = (): string | undefined => lines.find((line) => line.includes(`"id":${id}`));
      await vi.waitUntil(() => answerTo() !== undefined, WAIT);
      return asObject(JSON.parse(answerTo() ?? ""));
    };
    await send(101, "initialize", '{"protocolVersion":1,"clientCapabilities":{}}');
    const { result } = await send(102, "session/new", '{"cwd":"/"}');
    const sessionId = String(asObject(result)["sessionId"]);
    const { error } = await send(103, "session/set_mode", params.replace("ID", sessionId));
    expect([-32600, -32602]).toContain(asObject(error)["code"]);
  });

  it("that sends requests without end is paused while they are not answered", async () => {
    const { memory } = await fleet();
    const engine = memory.connect();
    const list = () => new Promise<never>(() => {});
    const hub = gatewayHub({
      engine: { ...engine, sessions: { ...engine.sessions, list } },
      pool: "pool",
    });
    onTestFinished(() => hub.close());
    const [near, far] = memoryPair();
    const pause = vi.spyOn(far, "pause");
    hub.serve(far, { agent: AGENT, owner: "ada" });
    const send = (method: string, params: JsonObject) =>
      void near.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    send("initialize", { protocolVersion: 1, _meta: { [ATTACH_META]: true } });
    for (let count = 0; count <= 1000; count++) send(ATTACH_METHODS.list, {});
    await vi.waitUntil(() => pause.mock.calls.length > 0, WAIT);
    expect(pause).toHaveBeenCalledTimes(1);
    await near.close();
  });

  it("must initialize before it may list or attach", async () => {
    const { channel, sessionId } = await opened();
    const peer = new Peer(channel());
    onTestFinished(() => void peer.close());
    for (const method of Object.values(ATTACH_METHODS)) {
      const call = peer.call(method, { sessionId });
      await expect(call).rejects.toMatchObject({ rpcCode: -32600 });
    }
  });

  it("that leaves while its session is opened leaves no reader of its log", async () => {
    const { memory, sessionId } = await opened();
    const engine = memory.connect();
    const [reached, released, attached] = [deferred(), deferred(), deferred()];
    let readers = 0;
    const log: FleetEngine["log"] = {
      ...engine.log,
      last: async (session) => {
        reached.resolve();
        await released.promise;
        return engine.log.last(session);
      },
      read: async function* (session, options) {
        readers++;
        yield* engine.log.read(session, options);
        readers--;
        return undefined;
      },
    };
    const onEvent = ({ type }: HubEvent): void => {
      if (type === "client_attached") attached.resolve();
    };
    const hub = gatewayHub({ engine: { ...engine, log }, pool: "pool" }, { onEvent });
    onTestFinished(() => hub.close());
    const [near, far] = memoryPair();
    const served = hub.serve(far, { agent: AGENT, owner: "ada" });
    const { peer } = await raw(near);
    void quiet(peer.call(ATTACH_METHODS.attach, { sessionId }));
    await reached.promise;
    await peer.close();
    await served.closed;
    released.resolve();
    await attached.promise;
    await vi.waitFor(() => expect(readers).toBe(0), WAIT);
  });

  it("that sends notifications without end costs the fleet nothing", async () => {
    const { memory, sessionId } = await opened();
    const engine = memory.connect();
    const get = vi.fn((key: string) => engine.sessions.get(key));
    const hub = gatewayHub({
      engine: { ...engine, sessions: { ...engine.sessions, get } },
      pool: "pool",
    });
    onTestFinished(() => hub.close());
    const [near, far] = memoryPair();
    hub.serve(far, { agent: AGENT, owner: "ada" });
    const client = await raw(near);
    for (const method of ["_any", "session/cancel"])
      await client.peer.notify(method, { sessionId });
    await client.peer.call(ATTACH_METHODS.list, {});
    expect(get).not.toHaveBeenCalled();
  });

  it("learns that it should try again if no worker has the agent", async () => {
    const { channel } = await fleet();
    const agent = { ...AGENT, name: "missing" };
    await expect(raw(channel({ agent }))).rejects.toMatchObject({
      rpcCode: -32007,
      data: { reason: "try_later" },
    });
  });
});

// A program that takes every promise the library hands out, lets it settle, and never listens to it.
// It prints the names of all promises, of those that rejected, and of those that Node reported.
import { mkdtemp, rm } from "node:fs/promises";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import {
  type AgentDefinition,
  type AgentSession,
  type Client,
  memoryPair,
  serveAgent,
  serveAgents,
  type SessionReplay,
  type SessionSender,
  type Terminal,
  type ToolCallHandle,
  type Turn,
  type UrlAnswer,
} from "../../src/entries/agent.ts";
import {
  type McpCaller,
  serveProxy,
  type SubagentHandle,
  type ReportedTerminal,
} from "../../src/agent/index.ts";
import { createAcpProvider } from "../../src/entries/ai.ts";
import {
  connectNats,
  fleetClient,
  fleetJobs,
  fleetStatus,
  sessionRecording,
  memoryFleet,
  startWorker,
} from "../../src/entries/fleet.ts";
import type { MemoryFleet } from "../../src/host/fleet/index.ts";
import { listHosts } from "../../src/host/fleet/index.ts";
import {
  createHub,
  fileOwners,
  type Hub,
  type HubClient,
  openAuditLog,
  openRoots,
  proxy,
  serveHub,
} from "../../src/entries/hub.ts";
import type { PolicyReply, PolicyRequest } from "../../src/host/hub/index.ts";
import {
  connectRemote,
  listenRemote,
  type RemoteChannel,
  remoteEndpoint,
} from "../../src/transport/remote/index.ts";
import {
  AcpClient,
  localTerminals,
  type PromptTurn,
  type Session,
  typedAnswer as typedAnswerOfSession,
} from "../../src/entries/dragoman.ts";
import type { McpRequest, McpTransport, TerminalRequest } from "../../src/client/index.ts";
import {
  DroidClient,
  type DroidProcessOptions,
  findExecutable,
  listModels,
  readVersion,
  run,
  typedAnswer,
} from "../../src/entries/droid.ts";
import { defineTool, toolServer } from "../../src/entries/tools.ts";
import type { ToolServerRequest } from "../../src/tools/index.ts";
import {
  type Channel,
  channelFromStream,
  connectSocket,
  connectWebSocket,
  listenSocket,
  openProcess,
  tapped,
} from "../../src/entries/wire.ts";

export interface Outcome {
  readonly taken: readonly string[];
  readonly rejected: readonly string[];
  readonly reported: readonly string[];
}

const taken: string[] = [];
const names = new Map<Promise<unknown>, string>();
const rejected: string[] = [];
const reported: string[] = [];

process.on("uncaughtException", () => {});
process.on("unhandledRejection", (reason, promise) => {
  reported.push(names.get(promise) ?? `a promise inside the library: ${String(reason)}`);
});

/** Runs the calls at once and waits until their promises have settled, without listening to them. */
async function leave(calls: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const promises = Object.entries(calls).map(([name, call]) => {
    const promise = call();
    taken.push(name);
    names.set(promise, name);
    return [name, promise] as const;
  });
  for (const [name, promise] of promises) {
    while (stateOf(promise) === "pending") await turnOfTheLoop();
    if (stateOf(promise) === "rejected") rejected.push(name);
  }
}

/** `inspect` looks at a promise without becoming its listener. */
function stateOf(promise: Promise<unknown>): string | undefined {
  return /^Promise \{\s+<(\w+)>/.exec(inspect(promise, { depth: 0 }))?.[1];
}

function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const cwd = tmpdir();
const sessionId = "s";

/** The handles that the agent's author gets, kept beyond their time. */
interface Kept {
  turn: Turn<object>;
  session: AgentSession<object>;
  client: Client;
  toolCall: ToolCallHandle;
  terminal: Terminal;
  report: ReportedTerminal;
  url: UrlAnswer;
  replay: SessionReplay<object>["replay"];
}

function keepingAgent(kept: Partial<Kept>): AgentDefinition<object> {
  return {
    info: { name: "keeper", version: "1" },
    authMethods: [{ id: "login", name: "Login" }],
    authenticate: () => {},
    logout: () => {},
    newSession: () => ({}),
    sessionId: () => sessionId,
    loadSession: (request) => {
      kept.replay = request.replay;
      return {};
    },
    resumeSession: () => ({}),
    forkSession: () => ({}),
    listSessions: () => ({ sessions: [] }),
    deleteSession: () => {},
    closeSession: () => {},
    modes: () => ({ availableModes: [{ id: "m", name: "M" }], currentModeId: "m" }),
    setMode: () => {},
    configOptions: () => [
      {
        id: "o",
        name: "O",
        type: "select",
        currentValue: "v",
        options: [{ value: "v", name: "V" }],
      },
    ],
    setConfigOption: () => {},
    async prompt(turn) {
      if (turn.text === "wait") return new Promise(() => {});
      kept.turn = turn;
      kept.session = turn.session;
      kept.client = turn.client;
      kept.toolCall = await turn.toolCall({ title: "t" });
      kept.terminal = await turn.terminal({ command: process.execPath, args: ["-e", ""] });
      kept.report = await turn.reportTerminal({ command: "x" });
      kept.url = await turn.elicitUrl({ message: "open", url: "https://example.com/" });
      return "end_turn";
    },
  };
}

interface Pair {
  readonly client: AcpClient;
  readonly agentEnd: Channel;
  readonly served: Promise<unknown>;
}

async function connect(kept: Partial<Kept> = {}): Promise<Pair> {
  const [clientEnd, agentEnd] = memoryPair();
  const served = serveAgent(agentEnd, keepingAgent(kept));
  const client = await AcpClient.start({
    channel: clientEnd,
    permissions: "all",
    terminal: localTerminals(),
    elicitation: { url: () => ({ action: "accept" }) },
  });
  return { client, agentEnd, served };
}

async function leaveClient(): Promise<void> {
  const { client, agentEnd } = await connect();
  const session = await client.newSession({ cwd });
  // One reader per turn, so one turn for each way to read.
  const turns: PromptTurn[] = [0, 1, 2].map(() => session.prompt("wait", { whenBusy: "wait" }));
  const [first, second, third] = turns;
  if (!first || !second || !third) throw new Error("there are three turns");
  const whileOpen = leave({
    "PromptTurn.result": () => first.result,
    "PromptTurn.text": () => second.text(),
    "PromptTurn.asyncIterator": () => third[Symbol.asyncIterator]().next(),
  });
  await agentEnd.close();
  await whileOpen;
  await leave({
    "AcpClient.start": () => AcpClient.start({ command: "/does/not/exist" }),
    "AcpClient.authenticate": () => client.authenticate("login"),
    "AcpClient.logout": () => client.logout(),
    "AcpClient.terminalLogin": () => client.terminalLogin("login"),
    "AcpClient.newSession": () => client.newSession({ cwd }),
    "AcpClient.loadSession": () => client.loadSession({ cwd, sessionId: "l" }),
    "AcpClient.resumeSession": () => client.resumeSession({ cwd, sessionId: "r" }),
    "AcpClient.forkSession": () => client.forkSession({ cwd, sessionId }),
    "AcpClient.listSessions": () => client.listSessions().next(),
    "SessionList.all": () => client.listSessions().all(),
    "SessionList.next": () => client.listSessions().next(),
    "SessionList.asyncIterator": () => client.listSessions()[Symbol.asyncIterator]().next(),
    "AsyncStream.next": () => client.listSessions().next(),
    "AsyncStream.asyncIterator": () => client.listSessions()[Symbol.asyncIterator]().next(),
    "AcpClient.deleteSession": () => client.deleteSession("d"),
    "AcpClient.sharedSessions": () => client.sharedSessions(),
    "AcpClient.attach": () => client.attach("a"),
    ...endedSession("Session", session),
    "PromptTurn.cancel": () => first.cancel(),
    "PromptTurn.text twice": () => second.text(),
    "typedAnswer of a session": () => typedAnswerOfSession(session, "x", { schema: {} }),
    "AcpClient.close": () => client.close(),
    "AcpClient.call": () => client.call("_example/unknown"),
    "AcpClient.notify": () => client.notify("_example/unknown"),
    "AcpClient.closed": () => client.closed,
    "AcpClient.asyncDispose": () => client[Symbol.asyncDispose](),
  });
}

function endedSession(name: string, session: Session) {
  return {
    [`${name}.setMode`]: () => session.setMode("m"),
    [`${name}.setConfigOption`]: () => session.setConfigOption("o", "v"),
    [`${name}.cancelToolCall`]: () => session.cancelToolCall("t"),
    [`${name}.cancelTerminal`]: () => session.cancelTerminal("t"),
    [`${name}.setTitle`]: () => session.setTitle("t"),
    [`${name}.status`]: () => session.status(),
    [`${name}.cancel`]: () => session.cancel(),
    [`${name}.close`]: () => session.close(),
    [`${name}.closed`]: () => session.closed,
    [`${name}.asyncDispose`]: () => session[Symbol.asyncDispose](),
  };
}

async function leaveUpdates(): Promise<void> {
  const { client, agentEnd } = await connect();
  const session = await client.newSession({ cwd });
  const waiting = leave({ "Session.updates": () => session.updates().next() });
  await agentEnd.close();
  await waiting;
  const late = await connect();
  const other = await late.client.newSession({ cwd });
  const events = other.updates();
  await late.agentEnd.close();
  await late.client.closed;
  await leave({ "Session.updates after the end": () => events.next() });
}

/** A client of a hub that shares one session, and loses the connection. */
async function leaveAttached(): Promise<void> {
  const [clientEnd, hubEnd] = memoryPair();
  const results: Record<string, object> = {
    initialize: { protocolVersion: 1, agentCapabilities: {}, _meta: { "dragoman/attach": true } },
    "_dragoman/session/list": { sessions: [{ sessionId: "s", cwd }] },
    "_dragoman/session/attach": { role: "controller", seq: 0, first: 1, protocolVersion: 1 },
  };
  hubEnd.open((line) => {
    const { id, method } = JSON.parse(line) as { id: number; method: string };
    const result = results[method];
    if (result) void hubEnd.send(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const client = await AcpClient.start({ channel: clientEnd });
  const session = await client.attach("s");
  const waiting = leave({ "AttachedSession.updates": () => session.updates().next() });
  await hubEnd.close();
  await waiting;
  await leave(endedSession("AttachedSession", session));
}

/** A client whose agent refuses to close a session: `close` is the only call that rejects then. */
async function leaveRefusedClose(): Promise<void> {
  const [clientEnd, agentEnd] = memoryPair();
  const refuse = (): never => {
    throw new Error("no");
  };
  void serveAgent(agentEnd, { ...keepingAgent({}), closeSession: refuse });
  const client = await AcpClient.start({ channel: clientEnd });
  const session = await client.newSession({ cwd });
  await leave({ "Session.close refused": () => session.close() });
  await client.close();
}

async function leaveAgent(): Promise<void> {
  const kept: Partial<Kept> = {};
  const { client, served } = await connect(kept);
  const session = await client.newSession({ cwd });
  await session.prompt("keep").result;
  await client.loadSession({ cwd, sessionId: "stored" });
  await session.close();
  const { turn, toolCall, terminal, report, replay, client: link, session: own, url } = kept;
  if (!turn || !toolCall || !terminal || !report || !replay || !link || !own || !url) {
    throw new Error("the agent kept all handles");
  }
  const senders = { Turn: turn, AgentWork: turn, AgentSession: own, SessionSender: own };
  for (const [name, sender] of Object.entries(senders)) {
    await leave(sends(name, sender));
  }
  for (const name of ["Turn", "AgentWork"]) {
    await leave({
      [`${name}.say`]: () => turn.say("x"),
      [`${name}.think`]: () => turn.think("x"),
      [`${name}.plan`]: () => turn.plan([]),
      [`${name}.toolCall`]: () => turn.toolCall({ title: "t" }),
      [`${name}.askPermission`]: () => turn.askPermission({ title: "t" }),
      [`${name}.askAbout`]: () => turn.askAbout({ toolCallId: "t" }),
      [`${name}.readFile`]: () => turn.readFile("/x"),
      [`${name}.writeFile`]: () => turn.writeFile("/x", ""),
      [`${name}.terminal`]: () => turn.terminal({ command: "x" }),
      [`${name}.reportTerminal`]: () => turn.reportTerminal({ command: "x" }),
      [`${name}.elicit`]: () => turn.elicit({ message: "m", schema: {} }),
      [`${name}.elicitUrl`]: () => turn.elicitUrl({ message: "m", url: "https://example.com/" }),
    });
  }
  await leave({
    "ToolCallHandle.update": () => toolCall.update({}),
    "ToolCallHandle.progress": () => toolCall.progress(),
    "ToolCallHandle.complete": () => toolCall.complete(),
    "ToolCallHandle.fail": () => toolCall.fail(),
    "ToolCallHandle.cancel": () => toolCall.cancel(),
    "ToolCallHandle.reportTerminal": () => toolCall.reportTerminal({ command: "x" }),
    "ToolCallHandle.askPermission": () => toolCall.askPermission(),
    "ReportedTerminal.write": () => report.write("x"),
    "ReportedTerminal.replace": () => report.replace("x"),
    "ReportedTerminal.exit": () => report.exit(),
    "AgentSession.work": () => own.work(async () => {}),
    "Terminal.output": () => terminal.output(),
    "Terminal.waitForExit": () => terminal.waitForExit(),
    "Terminal.kill": () => terminal.kill(),
    "Terminal.release": () => terminal.release(),
  });
  await client.close();
  await served;
  await leave({
    "Client.call": () => link.call("_x"),
    "Client.notify": () => link.notify("_x"),
    "Client.reportAuthStatus": () => link.reportAuthStatus({ state: "unknown" }),
    "AgentSession.openSubagent": () => own.openSubagent(),
    "UnstableSession.openSubagent": () => own.openSubagent(),
    ...unstableSends("UnstableSender", own),
    "UrlAnswer.complete": () => url.complete(),
    "SessionReplay.replay": () => replay(update),
    serveAgent: () => serveAgent(memoryPair()[0], { ...keepingAgent({}), authenticate: undefined }),
    "serveAgent with a failing close": () => {
      const [ours, theirs] = memoryPair();
      const done = serveAgent(theirs, {
        ...keepingAgent({}),
        close: () => Promise.reject(new Error("no")),
      });
      void ours.close();
      return done;
    },
  });
}

const update = { sessionUpdate: "current_mode_update", currentModeId: "m" } as const;

function sends(name: string, sender: SessionSender) {
  return {
    [`${name}.update`]: () => sender.update(update),
    [`${name}.commands`]: () => sender.commands([]),
    [`${name}.title`]: () => sender.title("t"),
    [`${name}.usage`]: () => sender.usage({ used: 1, size: 2 }),
    [`${name}.mode`]: () => sender.mode("m"),
    [`${name}.configOptions`]: () => sender.configOptions([]),
    [`${name}.notice`]: () => sender.notice({ severity: "info", title: "t" }),
    [`${name}.compaction`]: () => sender.compaction("c", "completed"),
    ...unstableSends(name, sender),
  };
}

function unstableSends(name: string, sender: SessionSender) {
  return {
    [`${name}.planUpdate`]: () =>
      sender.planUpdate({ type: "file", planId: "p", uri: "file:///p" }),
    [`${name}.planRemoved`]: () => sender.planRemoved("p"),
    [`${name}.subagentUpdate`]: () => sender.subagentUpdate("c", {}),
    [`${name}.sessionMessage`]: () => sender.sessionMessage("m", {}),
    [`${name}.sessionMessageChunk`]: () => sender.sessionMessageChunk("m", "x"),
  };
}

/** A proxy whose conductor leaves before it answers. */
async function leaveProxy(): Promise<void> {
  const [conductor, proxy] = memoryPair();
  const forwarded: (() => Promise<unknown>)[] = [];
  const served = serveProxy(proxy, {
    unstable: true,
    fromClient: { request: ({ forward }) => void forwarded.push(forward) },
  });
  conductor.open(() => {});
  await conductor.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/list" }));
  while (forwarded.length === 0) await turnOfTheLoop();
  await conductor.close();
  await served;
  const [forward = () => Promise.resolve()] = forwarded;
  await leave({
    serveProxy: () => serveProxy(proxy, { unstable: true }),
    "ProxiedRequest.forward": () => forward(),
  });
}

/** Everything of the unstable protocol, after the connection has ended. */
async function leaveUnstable(): Promise<void> {
  const [clientEnd, agentEnd] = memoryPair();
  let subagent: SubagentHandle | undefined;
  let caller: McpCaller | undefined;
  let request: McpRequest | undefined;
  let transport: McpTransport | undefined;
  void serveAgent(agentEnd, {
    ...keepingAgent({}),
    unstable: true,
    mcpCapabilities: { acp: true },
    prompt: async (turn) => {
      subagent = await turn.session.openSubagent();
      caller = turn.session.mcp("handled");
      await caller.request("ping");
    },
  });
  const client = await AcpClient.start({ channel: clientEnd, unstable: true });
  const session = await client.newSession({
    cwd,
    mcpServers: [
      { type: "acp", name: "handled", handle: (given) => void (request = given) },
      { type: "acp", name: "connected", connect: (given) => void (transport = given) },
    ],
  });
  await session.prompt("x").result;
  const child = session.subagent([...session.subagents.keys()][0] ?? "");
  const updates = child.updates();
  if (!subagent || !caller || !request || !transport) throw new Error("all handles are kept");
  const handles = { subagent, caller, request, transport };
  await leave({ "McpTransport.start": () => handles.transport.start() });
  await client.close();
  await agentEnd.close();
  await leave({
    "AcpClient.authStatus": () => client.authStatus(),
    "AcpClient.archiveSession": () => client.archiveSession("s"),
    "AcpClient.unarchiveSession": () => client.unarchiveSession("s"),
    "AcpClient.setSessionTitle": () => client.setSessionTitle("s", "t"),
    "AcpClient.sessionStatus": () => client.sessionStatus("s"),
    "AgentProviders.list": () => client.providers.list(),
    "AgentProviders.set": () => client.providers.set("p", { apiType: "x", baseUrl: "http://h" }),
    "AgentProviders.disable": () => client.providers.disable("p"),
    "Subagent.cancel": () => child.cancel(),
    "Subagent.updates": () => updates.next(),
    "McpCaller.request": () => handles.caller.request("ping"),
    "McpRequest.notify": () => handles.request.notify("x"),
    "McpTransport.send": () => handles.transport.send({}),
    "McpTransport.close": () => handles.transport.close(),
    "SubagentHandle.describe": () => handles.subagent.describe({}),
    "SubagentHandle.say": () => handles.subagent.say("x"),
    "SubagentHandle.askAbout": () => handles.subagent.askAbout({ toolCallId: "t" }),
    ...sends("SubagentHandle", handles.subagent),
  });
}

async function leaveChannels(): Promise<void> {
  const closed = memoryPair()[0];
  await closed.close();
  const child = await openProcess({ command: process.execPath, args: ["-e", ""] });
  child.open(() => {});
  await child.close();
  const web = channelFromStream({
    readable: new ReadableStream(),
    writable: new WritableStream({ write: () => Promise.reject(new Error("broken")) }),
  });
  await leave({
    "Channel.send": () => closed.send("{}"),
    "Channel.send tapped": () => tapped(closed, () => {}).send("{}"),
    "Channel.send web": () => web.send("{}"),
    "Channel.send web, not JSON": () => web.send("{"),
    "Channel.close": () => closed.close(),
    "Channel.closed": () => closed.closed,
    openProcess: () => openProcess({ command: "/does/not/exist" }),
    "ProcessChannel.send": () => child.send("{}"),
    "ProcessChannel.close": () => child.close(),
    "ProcessChannel.closed": () => child.closed,
  });
}

/** A channel of a user, which may reject without a listener. */
async function leaveOnForeignChannel(): Promise<void> {
  const [clientEnd, agentEnd] = memoryPair();
  const reject = (): Promise<void> => Promise.reject(new Error("broken"));
  const foreign: Channel = {
    open: (receive) => clientEnd.open(receive),
    send: reject,
    pause: () => {},
    resume: () => {},
    close: () => clientEnd.close(),
    closed: clientEnd.closed,
  };
  const started = AcpClient.start({ channel: foreign, timeouts: { startMs: 50 } });
  await leave({ "AcpClient.start on a broken channel": () => started });
  await agentEnd.close();
}

/** A server for remote clients, an address that nothing listens on, and a client that leaves. */
async function leaveRemote(): Promise<void> {
  const server = await listenRemote({ authorize: () => ({}) });
  const accepted = new Promise<RemoteChannel<object>>((resolve) => {
    server.open(resolve);
  });
  const client = await connectRemote(server.webSocketUrl);
  const channel = await accepted;
  channel.open(() => {});
  await Promise.all([client.close(), channel.closed]);
  const endpoint = remoteEndpoint({ authorize: () => ({}), hosts: [] });
  const request = new IncomingMessage(new Socket());
  await leave({
    connectRemote: () => connectRemote("ws://127.0.0.1:1/"),
    listenRemote: () => listenRemote({ authorize: () => ({}), host: "192.0.2.1" }),
    "RemoteChannel.send": () => channel.send("{}"),
    "RemoteChannel.close": () => channel.close(),
    "RemoteChannel.closed": () => channel.closed,
    "RemoteEndpoint.handle": () => endpoint.handle(request, new ServerResponse(request)),
    "RemoteEndpoint.admit": () => endpoint.admit(request, new ServerResponse(request)),
    "RemoteEndpoint.upgrade": () => endpoint.upgrade({}, {}, new Uint8Array()),
    "RemoteEndpoint.close": () => endpoint.close(),
    "RemoteEndpoint.closed": () => endpoint.closed,
    "RemoteListener.close": () => server.close(),
    "RemoteListener.closed": () => server.closed,
    "RemoteServer.close": () => server.close(),
    "RemoteServer.closed": () => server.closed,
  });
}

/** A hub whose agent asks after its client is gone, and servers that cannot be started. */
async function leaveHub(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-hub-"));
  const missing = join(folder, "missing", "file");
  const [clientEnd, hubEnd] = memoryPair();
  const [agentEnd, hubSide] = memoryPair();
  const asked = new Promise<{ readonly question: Promise<PolicyReply> }>((resolve) => {
    agentEnd.open((line) => void agentEnd.send(answerOf(line)));
    const policy = {
      request: (asking: PolicyRequest) => {
        resolve({ question: asking.ask("session/request_permission", { options: [] }) });
        return { kind: "forward" } as const;
      },
      close: () => Promise.resolve(),
    };
    const agent = { name: "agent", key: "agent", open: () => Promise.resolve(hubSide) };
    const hub = createHub({ policy: () => policy, limits: { idleMs: 60_000 } });
    const client = hub.serve(hubEnd, { agent, owner: "me" });
    clientEnd.open((line) => {
      if (line.includes("s1")) {
        void agentEnd.send(
          '{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s1"}}',
        );
      }
      if (line.includes("request_permission")) void clientEnd.close();
    });
    void clientEnd.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}');
    void clientEnd.send('{"jsonrpc":"2.0","id":2,"method":"session/new","params":{}}');
    hubs.push({ hub, client });
  });
  const { question } = await asked;
  const { hub, client } = hubs[0] ?? fail();
  const audit = await openAuditLog(join(folder, "audit.jsonl"));
  const roots = await openRoots([{ name: "here", folder }]);
  const server = await serveHub({ agents: [], tokens: [] });
  const [proxyEnd, editorEnd] = memoryPair();
  const neverStarts = { name: "a", key: "a", open: () => Promise.reject(new Error("no")) };
  const running = proxy({ agent: neverStarts, channel: proxyEnd });
  await editorEnd.close();
  await leave({
    "PolicyRequest.ask": () => question,
    "HubClient.closed": () => client.closed,
    "HubClient.close": () => client.close(),
    "Hub.drain": () => hub.drain(0),
    "Hub.close": () => hub.close(),
    "Hub.asyncDispose": () => hub[Symbol.asyncDispose](),
    "AgentProxy.ended": () => running.ended,
    "AgentProxy.close": () => running.close(),
    "AgentProxy.asyncDispose": () => running[Symbol.asyncDispose](),
    openAuditLog: () => openAuditLog(folder),
    "AuditLog.note": () => audit.note("test", {}),
    "AuditLog.record": () =>
      audit.record({
        agent: "a",
        owner: "me",
        session: "s1",
        method: "m",
        kind: "other",
        targets: { paths: [], commands: [], isComplete: true },
        decision: "deny",
        by: { type: "unattended" },
      }),
    "AuditLog.close": () => audit.close(),
    "AuditLog.asyncDispose": () => audit[Symbol.asyncDispose](),
    openRoots: () => openRoots([{ name: "missing", folder: missing }]),
    "HubRoots.folder": () => roots.folder("/missing", "cwd"),
    fileOwners: () => fileOwners(folder),
    serveHub: () => serveHub({ agents: [], tokens: [], host: "192.0.2.1" }),
    "HubServer.drain": () => server.drain(0),
    "HubServer.close": () => server.close(),
    "HubServer.asyncDispose": () => server[Symbol.asyncDispose](),
  });
  await rm(folder, { recursive: true, force: true });
}

/** A fleet whose engine is closed, and servers that are not there. */
async function leaveFleet(): Promise<void> {
  const { connect } = openFleet();
  const engine = connect();
  const closed = connect();
  const agent = { name: "a", key: "a", open: () => Promise.reject(new Error("no")) };
  const workers = { engine, host: "h", pool: "p", agents: [agent] };
  const worker = await startWorker(workers);
  const lease = await closed.leases.take("s", "other");
  const server = await engine.calls.answer("c", () => Promise.reject(new Error("no")));
  await engine.work.add("other", "1", "work");
  const item = await engine.work.take("other", { waitMs: 1 });
  const { signal } = new AbortController();
  await closed.close();
  const client = fleetClient(closed, "me");
  const jobs = fleetJobs(closed, "me");
  const source = { kind: "root", cwd: "x" } as const;
  await leave({
    connectNats: () => connectNats({ servers: "127.0.0.1:1" }),
    startWorker: () => startWorker({ ...workers, engine: closed }),
    listHosts: () => listHosts(closed.hosts),
    fleetStatus: () => fleetStatus(closed),
    sessionRecording: () => sessionRecording(closed, "s").next(),
    "FleetEngine.health": () => closed.health(),
    "FleetLog.append": () => closed.log.append("s", "x", { fence: 1, after: 9 }),
    "FleetLog.last": () => closed.log.last("s"),
    "FleetLog.read": () => closed.log.read("s").next(),
    "FleetLog.remove": () => closed.log.remove("s"),
    "FleetLeases.take": () => closed.leases.take("s", "h"),
    "FleetLeases.holder": () => closed.leases.holder("s"),
    "Lease.renew": () => lease?.renew() ?? Promise.reject(new Error("no")),
    "Lease.release": () => lease?.release() ?? Promise.reject(new Error("no")),
    "FleetCalls.answer": () => closed.calls.answer("h", () => Promise.resolve("")),
    "FleetCalls.call": () => closed.calls.call("c", "x"),
    "CallServer.close": () => server.close(),
    "FleetQueue.add": () => closed.work.add("p", "1", "x"),
    "FleetQueue.take": () => closed.work.take("p", { waitMs: 1 }),
    "FleetQueue.depth": () => closed.work.depth("p"),
    "WorkItem.extend": () => item?.extend() ?? Promise.reject(new Error("no")),
    "WorkItem.giveBack": () => item?.giveBack(1) ?? Promise.reject(new Error("no")),
    "WorkItem.done": () => item?.done() ?? Promise.reject(new Error("no")),
    "FleetTable.get": () => closed.sessions.get("k"),
    "FleetTable.create": () => closed.sessions.create("k", "v"),
    "FleetTable.update": () => closed.sessions.update("k", "v", 1),
    "FleetTable.put": () => closed.sessions.put("k", "v"),
    "FleetTable.delete": () => closed.sessions.delete("k"),
    "FleetTable.list": () => closed.sessions.list(),
    "FleetTable.watch": () => closed.sessions.watch(signal).next(),
    "FleetValues.put": () => closed.values.put("x"),
    "FleetValues.get": () => closed.values.get("x"),
    "FleetClient.create": () => client.create({ pool: "p", agent: "a", cwd: "/" }),
    "FleetClient.open": () => client.open("s"),
    "FleetClient.show": () => client.show("s"),
    "FleetClient.prompt": () => client.prompt("s", { id: "1", by: "me", prompt: [] }),
    "FleetClient.cancel": () => client.cancel("s"),
    "FleetClient.answer": () => client.answer("s", { id: "1", by: "me", result: {} }),
    "FleetClient.request": () => client.request("s", "m", {}),
    "FleetClient.release": () => client.release("s"),
    "FleetClient.read": () => client.read("s").next(),
    "FleetClient.list": () => client.list(),
    "FleetClient.remove": () => client.remove("s"),
    "FleetJobs.submit": () => jobs.submit({ id: "1", pool: "p", agent: "a", prompt: "x", source }),
    "FleetJobs.show": () => jobs.show("1"),
    "FleetJobs.list": () => jobs.list(),
    "FleetJobs.cancel": () => jobs.cancel("1"),
    "FleetJobs.diff": () => jobs.diff("1"),
    "FleetJobs.wait": () => jobs.wait("1"),
    "FleetWorker.drain": () => worker.drain(0),
    "FleetWorker.close": () => worker.close(),
    "FleetWorker.asyncDispose": () => worker[Symbol.asyncDispose](),
    "FleetEngine.close": () => engine.close(),
    "FleetEngine.asyncDispose": () => engine[Symbol.asyncDispose](),
  });
}

function openFleet(): { readonly connect: () => ReturnType<MemoryFleet["connect"]> } {
  const fleet = memoryFleet();
  return { connect: () => fleet.connect() };
}

const hubs: { hub: Hub; client: HubClient }[] = [];

function fail(): never {
  throw new Error("the hub was not created");
}

function answerOf(line: string): string {
  const { id } = JSON.parse(line) as { id: number };
  return JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1, sessionId: "s1" } });
}

/** Addresses that nothing listens on, and a listener in the way of another. */
async function leaveSockets(): Promise<void> {
  const missing = { path: join(tmpdir(), "dragoman-no-such-folder", "socket") };
  const listener = await listenSocket({ port: 0 });
  await leave({
    connectSocket: () => connectSocket(missing),
    connectWebSocket: () => connectWebSocket("ws://127.0.0.1:1/"),
    listenSocket: () => listenSocket(missing),
    serveAgents: () =>
      serveAgents(listener, { ...keepingAgent({}), setMode: () => {}, modes: undefined }),
    "Listener.close": () => listener.close(),
    "Listener.closed": () => listener.closed,
    "SocketListener.close": () => listener.close(),
    "SocketListener.closed": () => listener.closed,
  });
}

/** A server without its bridge, a request for a tool that does not exist, and calls that fail. */
async function leaveTools(): Promise<void> {
  const tool = defineTool({
    name: "fail",
    description: "Fails",
    input: { type: "object" },
    run: () => Promise.reject(new Error("broken")),
  });
  const server = toolServer({ name: "tools", tools: [tool] });
  const open = await server.open("acp");
  const http = await server.open("http");
  const request: ToolServerRequest = {
    method: "no/such/method",
    params: undefined,
    signal: new AbortController().signal,
    notify: () => Promise.resolve(),
  };
  // The package has no command in this folder.
  const { argv } = process;
  process.argv = [];
  process.chdir(cwd);
  await leave({
    "ToolServer.open": () => server.open("stdio"),
    "AcpToolEndpoint.handle": () => open.endpoint.handle(request),
    "ToolServerRequest.notify": () => request.notify("x"),
    "Tool.call": () => tool.call("not an object"),
    "OpenToolServer.close": () => http.close(),
  });
  process.argv = argv;
}

async function leaveTerminals(): Promise<void> {
  const provider = localTerminals();
  const request: TerminalRequest = {
    sessionId,
    terminalId: "t",
    command: process.execPath,
    args: ["-e", ""],
    cwd,
    entry: cwd,
    env: {},
    outputByteLimit: undefined,
    onOutput: () => {},
    meta: undefined,
    answerMeta: () => {},
  };
  const terminal = await provider.create(request);
  await leave({
    "TerminalProvider.create": () => provider.create({ ...request, entry: "/does/not/exist" }),
    "ProvidedTerminal.exited": () => terminal.exited,
    "ProvidedTerminal.kill": () => terminal.kill(),
    "ProvidedTerminal.release": () => terminal.release(),
  });
}

async function leaveDroid(options: DroidProcessOptions): Promise<void> {
  const prepared = await DroidClient.prepare(options);
  await prepared.close();
  const droid = await DroidClient.start(options);
  const running = droid.prompt("wait for the interrupt");
  const queued = [1, 2].map(() => droid.prompt("x", { whenBusy: "wait" }));
  const [second, third] = queued;
  if (!second || !third) throw new Error("there are three turns");
  const whileOpen = leave({
    "DroidTurn.result": () => running.result,
    "DroidTurn.text": () => second.text(),
    "DroidTurn.asyncIterator": () => third[Symbol.asyncIterator]().next(),
    "DroidClient.updates": () => droid.updates().next(),
  });
  process.kill(droid.pid ?? 0, "SIGKILL");
  await droid.closed;
  await whileOpen;
  await leave({
    "DroidClient.prepare": () => DroidClient.prepare({ ...options, cwd: "/does/not/exist" }),
    "DroidClient.start": () => DroidClient.start({ ...options, cwd: "/does/not/exist" }),
    "DroidClient.load": () => DroidClient.load("x", { ...options, cwd: "/does/not/exist" }),
    run: () => run("x", { ...options, cwd: "/does/not/exist" }),
    typedAnswer: () => typedAnswer(droid, "x", { schema: { type: "object" } }),
    listModels: () => listModels({ ...options, cwd: "/does/not/exist" }),
    "DroidClient.list": () => DroidClient.list({ home: "/does/not/exist" }),
    "DroidClient.delete": () => DroidClient.delete("x", { home: "/does/not/exist" }),
    "DroidClient.cancel": () => droid.cancel(),
    "DroidClient.updateSettings": () => droid.updateSettings({ model: "m" }),
    "DroidClient.fork": () => droid.fork(),
    "DroidClient.rename": () => droid.rename("x"),
    "DroidClient.compact": () => droid.compact(),
    "DroidClient.rewindInfo": () => droid.rewindInfo("x"),
    "DroidClient.rewind": () => droid.rewind("x"),
    "DroidClient.switchTo": () => droid.switchTo("x"),
    "DroidClient.listModels": () => droid.listModels(),
    "DroidClient.listTools": () => droid.listTools(),
    "DroidClient.listCommands": () => droid.listCommands(),
    "DroidClient.listSkills": () => droid.listSkills(),
    "DroidClient.contextUsage": () => droid.contextUsage(),
    "DroidClient.request": () => droid.request("droid.x"),
    "DroidClient.refreshMcpServers": () => droid.refreshMcpServers(),
    "DroidTurn.cancel": () => running.cancel(),
    "DroidClient.close": () => droid.close(),
    "DroidClient.closed": () => droid.closed,
    "DroidClient.asyncDispose": () => droid[Symbol.asyncDispose](),
    "PreparedProcess.start": () => prepared.start(),
    "PreparedProcess.load": () => prepared.load("x"),
    "PreparedProcess.close": () => prepared.close(),
    "PreparedProcess.closed": () => prepared.closed,
    findExecutable: () => findExecutable({ executable: "/does/not/exist" }),
    readVersion: () => readVersion("/does/not/exist"),
  });
}

async function leaveAi(): Promise<void> {
  const provider = createAcpProvider({ command: "/does/not/exist", session: { cwd } });
  const model = provider();
  const options = { prompt: [] };
  const [clientEnd, agentEnd] = memoryPair();
  const served = serveAgent(agentEnd, keepingAgent({}));
  const connected = createAcpProvider({ channel: clientEnd, session: { cwd } });
  const text = { type: "text" as const, text: "wait" };
  const { stream } = await connected().doStream({ prompt: [{ role: "user", content: [text] }] });
  await leave({
    "LanguageModelV4.doGenerate": () => Promise.resolve(model.doGenerate(options)),
    "LanguageModelV4.doStream": () => Promise.resolve(model.doStream(options)),
    "AcpProvider.close": () => provider.close(),
    "AcpProvider.asyncDispose": () => provider[Symbol.asyncDispose](),
    // Its stream is never read.
    "connected AcpProvider.close": () => connected.close(),
  });
  await stream.cancel();
  await clientEnd.close();
  await served;
}

const executable = process.argv[2] ?? "";
await leaveClient();
await leaveUpdates();
await leaveAttached();
await leaveRefusedClose();
await leaveAgent();
await leaveUnstable();
await leaveProxy();
await leaveChannels();
await leaveOnForeignChannel();
await leaveSockets();
await leaveRemote();
await leaveHub();
await leaveFleet();
await leaveTerminals();
await leaveTools();
await leaveDroid({ executable });
await leaveAi();
await turnOfTheLoop();
const outcome: Outcome = { taken, rejected, reported };
process.stdout.write(JSON.stringify(outcome));

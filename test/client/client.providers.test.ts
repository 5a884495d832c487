// What an application gives to one session instead of the whole client.
import { describe, expect, it } from "vitest";
import { serveAgent } from "../../src/entries/agent.ts";
import {
  AcpClient,
  InvalidArgumentError,
  memoryPair,
  type Session,
  type SessionOptions,
} from "../../src/entries/dragoman.ts";
import { connect, everything, FakeAgent, initialized } from "./fake-agent.ts";
import { fakeTerminals } from "./gate/fake-terminals.ts";
import { virtualFiles } from "./gate/virtual-files.ts";

type Open = (client: AcpClient, options: SessionOptions) => Promise<Session>;

const CALLS: [string, Open][] = [
  ["session/new", (client, options) => client.newSession(options)],
  ["session/fork", (client, options) => client.forkSession({ ...options, sessionId: "s1" })],
  ["session/load", (client, options) => client.loadSession({ ...options, sessionId: "s1" })],
  ["session/resume", (client, options) => client.resumeSession({ ...options, sessionId: "s1" })],
];

const FILES = { fs: { writeTextFile: true } };

function agentFor(method: string): FakeAgent {
  return new FakeAgent({
    initialize: () => initialized(everything),
    [method]: () => ({ sessionId: "s1" }),
    "session/close": () => ({}),
  });
}

describe.each(CALLS)("%s", (method, open) => {
  it("takes providers and permissions for the new session", async () => {
    const agent = agentFor(method);
    const client = await connect(agent, { capabilities: FILES, permissions: "deny" });
    const tree = virtualFiles({ "/v/a": "x" });
    const options = { cwd: "/v", fs: { provider: tree.provider } };
    await open(client, { ...options, permissions: "write" });
    const file = { sessionId: "s1", path: "/v/a" };
    expect(await agent.peer.call("fs/read_text_file", file)).toEqual({ content: "x" });
    await agent.peer.call("fs/write_text_file", { ...file, content: "y" });
    expect(tree.files.get("/v/a")).toBe("y");
  });

  it("rejects a provider that the client did not advertise, before anything is sent", async () => {
    const agent = agentFor(method);
    const client = await connect(agent);
    const terminal = fakeTerminals().provider;
    const opening = open(client, { cwd: "/v", terminal });
    await expect(opening).rejects.toBeInstanceOf(InvalidArgumentError);
    expect(agent.paramsOf(method)).toEqual([]);
    expect(client.sessions).toEqual([]);
  });

  it("rejects a folder that the provider cannot resolve, before anything is sent", async () => {
    const agent = agentFor(method);
    const client = await connect(agent);
    const realpath = (): Promise<never> => Promise.reject(new Error("the container is gone"));
    const opening = open(client, { cwd: "/v", fs: { provider: { realpath } } });
    await expect(opening).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("the container is gone"),
    });
    expect(agent.paramsOf(method)).toEqual([]);
    expect(client.sessions).toEqual([]);
  });

  it("can be cancelled while a provider resolves the folder", async () => {
    const agent = agentFor(method);
    const client = await connect(agent);
    const controller = new AbortController();
    const realpath = (): Promise<never> => {
      controller.abort();
      return new Promise(() => {});
    };
    const { signal } = controller;
    const fs = { provider: { realpath } };
    await expect(open(client, { cwd: "/v", fs, signal })).rejects.toMatchObject({
      name: "CallCancelledError",
    });
  });

  it("uses the client's MCP servers unless the session lists its own", async () => {
    const agent = agentFor(method);
    const mcpServers = [{ name: "shared", command: "/bin/shared" }];
    const client = await connect(agent, { mcpServers });
    const options = { cwd: "/v" };
    await (await open(client, options)).close();
    await (await open(client, { ...options, mcpServers: [] })).close();
    const sent = agent.paramsOf(method).map((params) => params["mcpServers"]);
    expect(sent).toEqual([[{ name: "shared", command: "/bin/shared", args: [], env: [] }], []]);
  });
});

it("an agent of the toolkit works on files that exist only in the client's memory", async () => {
  const [near, far] = memoryPair();
  const served = serveAgent(far, {
    info: { name: "elsewhere", version: "1.0.0" },
    localWorkspaces: false,
    newSession: () => ({}),
    prompt: async (turn) => {
      const text = await turn.readFile("/project/notes.md");
      await turn.writeFile("/project/upper.md", text.toUpperCase());
      await turn.say("done");
    },
  });
  const tree = virtualFiles({ "/project/notes.md": "hello" });
  await using client = await AcpClient.start({
    channel: near,
    permissions: "write",
    capabilities: FILES,
    fs: { provider: tree.provider },
  });
  const session = await client.newSession({ cwd: "/project" });
  expect(await session.prompt("go").text()).toBe("done");
  expect(tree.files.get("/project/upper.md")).toBe("HELLO");
  await client.close();
  await served;
});

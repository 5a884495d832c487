// The security checklist of a server, through the real command. test/transport/remote/server/endpoint.security.test.ts
// and test/host/hub/roots.test.ts try more cases of the same checks.
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import {
  cleanUp,
  INITIALIZE,
  initialize,
  type PlainRequest,
  requestLine,
  send,
} from "../../../../transport/remote/rig.ts";
import { tokenFor } from "../../../../host/hub/serve/rig.ts";
import {
  connectTo,
  rawClient,
  type ServeProcess,
  startServe,
  writeTokens,
} from "../../serve/process.ts";
import { builtBin, foldersForAll } from "../setup.ts";

const ADA = tokenFor("ada");
const BOB = tokenFor("bob");
const WATCHER = tokenFor("watcher", { role: "observer" });
const LATE = tokenFor("late", { expires: 1 });
const NARROW = tokenFor("narrow", { roots: ["other"] });
const ORIGIN = "https://editor.example";

const bin = builtBin();
const folders = foldersForAll();
let server: ServeProcess;

beforeAll(async () => {
  const tokens = join(folders.home, "tokens.json");
  await writeTokens(tokens, ADA, BOB, WATCHER, LATE, NARROW);
  await symlink(folders.home, join(folders.cwd, "link"));
  await mkdir(join(folders.home, "other"));
  server = await startServe({
    bin: bin.file,
    folders,
    args: ["--tokens", tokens, "--origin", ORIGIN, "--max-message", "1"].concat([
      "--root",
      ".",
      "--root",
      `other=${join(folders.home, "other")}`,
    ]),
  });
});

afterAll(async () => {
  await cleanUp();
  await Promise.all([bin.remove(), folders.remove()]);
});

/** Tries to open a WebSocket. Returns the status and the text of the answer. */
async function upgrade(headers: Readonly<Record<string, string>>, query = "") {
  const socket = new WebSocket(`${server.webSocketUrl}${query}`, { headers });
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    socket.on("open", () => {
      socket.terminate();
      resolve({ status: 101, body: "" });
    });
    socket.on("unexpected-response", (_request, response) => {
      let body = "";
      response.on("data", (piece: Buffer) => (body += piece.toString()));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    socket.on("error", reject);
  });
}

const REQUESTS: readonly (readonly [string, PlainRequest])[] = [
  ["POST", { method: "POST", body: INITIALIZE }],
  ["GET", { method: "GET", headers: { accept: "text/event-stream", "acp-connection-id": "x" } }],
  ["DELETE", { method: "DELETE", headers: { "acp-connection-id": "x" } }],
  ["GET /metrics", { method: "GET", path: "/metrics" }],
];

describe.each([
  ["no token", 401, { authorization: "" }],
  ["a wrong token", 401, { authorization: "Bearer wrong" }],
  ["an expired token", 401, LATE.headers],
  ["a password", 401, { authorization: "Basic YTpi" }],
  ["a foreign page", 403, { ...ADA.headers, origin: "https://evil.example" }],
  ["a page without an origin", 403, { ...ADA.headers, origin: "null" }],
  ["a page of another port", 403, { ...ADA.headers, origin: `${ORIGIN}:444` }],
  ["a name that points here (DNS rebinding)", 403, { ...ADA.headers, host: "evil.example" }],
  ["a loopback name with another port", 403, { ...ADA.headers, host: "localhost:1" }],
] as const)("%s", (_name, status, headers) => {
  it.each(REQUESTS)("is refused on %s", async (_method, request) => {
    const answer = await send(server, { ...request, headers: { ...request.headers, ...headers } });
    expect(answer.status).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    expectNothingAbout(answer);
  });

  it("is refused on a WebSocket", async () => {
    const answer = await upgrade({ ...headers });
    expect(answer.status).toBe(status);
    expectNothingAbout(answer);
  });
});

/** An answer says what the client did wrong, not what the server has. */
function expectNothingAbout(answer: object): void {
  const text = JSON.stringify(answer);
  for (const secret of [folders.home, folders.cwd, "9.8.7", "serve-agent", ADA.token, "stack"]) {
    expect(text).not.toContain(secret);
  }
}

it("a token in a URL is refused, also next to a valid one", async () => {
  const query = `?token=${ADA.token}`;
  for (const headers of [{ authorization: "" }, ADA.headers]) {
    const answer = await send(server, { path: `/acp${query}`, headers, body: INITIALIZE });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toContain(ADA.token);
    expect((await upgrade(headers, query)).status).toBe(400);
  }
  expect(server.err()).not.toContain(ADA.token);
});

it("a connection of another's token does not exist", async () => {
  const id = await initialize(server, ADA.headers);
  const headers = { ...BOB.headers, "acp-connection-id": id };
  const post = { headers, body: requestLine(2, "session/list") };
  expect((await send(server, post)).status).toBe(404);
  const stream = { ...headers, accept: "text/event-stream" };
  expect((await send(server, { method: "GET", headers: stream })).status).toBe(404);
  expect((await send(server, { method: "DELETE", headers })).status).toBe(404);
  const own = { ...ADA.headers, "acp-connection-id": id };
  expect((await send(server, { method: "DELETE", headers: own })).status).toBe(202);
});

it("a session of another's token is neither listed nor opened", async () => {
  const ada = await connectTo({ ...server, token: ADA.token });
  const bob = await rawClient(server, BOB);
  const { id: sessionId } = await ada.newSession({ cwd: folders.cwd });
  const listed: string[] = [];
  for await (const session of ada.listSessions()) listed.push(session.sessionId);
  expect(listed).toContain(sessionId);
  expect(JSON.stringify(await bob.call("session/list"))).not.toContain(sessionId);
  const params = { sessionId, cwd: folders.cwd, mcpServers: [] };
  for (const method of ["session/load", "session/resume", "session/close"]) {
    expect(await bob.call(method, params), method).toMatchObject({ code: -32002 });
  }
  const prompt = [{ type: "text", text: "say hello" }];
  expect(await bob.call("session/prompt", { sessionId, prompt })).toMatchObject({ code: -32002 });
  // As for any session that is not there, the deletion succeeds. The session stays.
  expect(await bob.call("session/delete", params)).toEqual({});
  expect(await ada.session(sessionId).prompt("say hello").text()).not.toBe("");
});

it("an observer neither opens sessions nor prompts", async () => {
  const ada = await connectTo({ ...server, token: ADA.token });
  const { id: sessionId } = await ada.newSession({ cwd: folders.cwd });
  const { call } = await rawClient(server, WATCHER);
  const prompt = [{ type: "text", text: "say hello" }];
  const denied = { code: -32003 };
  expect(await call("session/new", { cwd: folders.cwd, mcpServers: [] })).toMatchObject(denied);
  expect(await call("session/prompt", { sessionId, prompt })).toMatchObject(denied);
  const attach = (role: string) => call("_dragoman/session/attach", { sessionId, role });
  expect(await attach("controller")).toMatchObject(denied);
  expect(await attach("observer")).toMatchObject({ sessionId, role: "observer" });
  expect(await call("session/prompt", { sessionId, prompt })).toMatchObject(denied);
  expect(await call("session/delete", { sessionId })).toMatchObject({ code: expect.any(Number) });
});

describe("a session outside the roots", () => {
  const open = async (params: object, token = ADA) => {
    const { call } = await rawClient(server, token);
    const answer = await call("session/new", { mcpServers: [], ...params });
    expectNoPaths(answer);
    return answer;
  };

  it.each([
    ["another folder of the server", () => folders.home],
    ["the parent folder", () => `${folders.cwd}/..`],
    ["a link that leads out", () => `${folders.cwd}/link`],
    ["the name of no root", () => "/elsewhere"],
    ["a path that climbs out of a root's name", () => "/project/../home"],
    ["a relative path", () => "."],
    ["no path", () => ""],
  ])("is refused: %s", async (_name, cwd) => {
    expect(await open({ cwd: cwd() })).toMatchObject({ code: -32602 });
  });

  it("is refused in a root that its token may not use", async () => {
    expect(await open({ cwd: "/project" }, NARROW)).toMatchObject({ code: -32602 });
    expect(await open({ cwd: "/other" }, NARROW)).toHaveProperty("sessionId");
  });

  it("is refused as a further folder", async () => {
    const params = { cwd: "/project", additionalDirectories: [folders.home] };
    expect(await open(params)).toMatchObject({ code: -32602 });
  });

  it("is refused with an MCP server that would run a command here", async () => {
    const mcpServers = [{ name: "x", command: "/bin/sh", args: ["-c", "id"], env: [] }];
    expect(await open({ cwd: "/project", mcpServers })).toMatchObject({ code: -32602 });
  });

  it("is not reached by the agent's requests for files either", async () => {
    const session = await (
      await connectTo({ ...server, token: ADA.token })
    ).newSession({
      cwd: "/project",
    });
    await writeFile(join(folders.cwd, "inside.txt"), "inside");
    expect(await session.prompt(`read ${folders.cwd}/inside.txt`).text()).toBe("inside");
    for (const path of [`${folders.home}/token`, `${folders.cwd}/link/token`]) {
      const answer = await session.prompt(`read ${path}`).text();
      expect(answer).toMatch(/^error /);
      expect(answer).not.toContain(server.token);
    }
  });
});

/** Paths of the server that a client did not name itself are a secret. */
function expectNoPaths(answer: unknown): void {
  expect(JSON.stringify(answer)).not.toContain(folders.home);
  expect(JSON.stringify(answer)).not.toContain(folders.cwd);
}

it("an agent that cannot start is reported to the client without paths of the server", async () => {
  const script = join(folders.home, "agent.sh");
  await writeFile(script, "#!/no/such/interpreter\n", { mode: 0o755 });
  const broken = await startServe({ bin: bin.file, folders, agent: ["--", script] });
  const headers = { authorization: `Bearer ${broken.token}` };
  const { initialized } = await rawClient(broken, { headers });
  expect(initialized).toMatchObject({
    message: "agent.sh could not be started: the server has the details",
  });
  expectNoPaths(initialized);
  expect(broken.err()).toContain(`could not start agent.sh`);
  expect(broken.err()).toContain(script);
});

it("a message that is too long is refused", async () => {
  const body = requestLine(1, "initialize", { text: "x".repeat(1024 * 1024) });
  expect((await send(server, { headers: ADA.headers, body })).status).toBe(413);
  const socket = new WebSocket(server.webSocketUrl, { headers: ADA.headers });
  await once(socket, "open");
  socket.send(body);
  const [code] = (await once(socket, "close")) as [number];
  expect(code).toBe(1009);
});

it("headers that are longer than 16 kB are refused", async () => {
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`POST /acp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${"x".repeat(17_000)}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1.1 431 /);
});

it("many failed logins get 429, and valid tokens still pass", async () => {
  const statuses = new Set<number>();
  for (let n = 0; n < 70; n++) {
    const headers = { authorization: `Bearer guess-${n}` };
    statuses.add((await send(server, { headers, body: INITIALIZE })).status);
  }
  expect(statuses).toContain(429);
  await initialize(server, ADA.headers);
});

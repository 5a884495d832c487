// Clients that try to use a session that is not theirs to use.
import { describe, expect, it } from "vitest";
import { type SessionUse, sessionAccess } from "../../../src/host/hub/access.ts";
import type {
  HubClientOptions,
  HubOptions,
  HubSessionInfo,
  SessionOwners,
} from "../../../src/host/hub/index.ts";
import {
  at,
  connect,
  INITIALIZE,
  prompt,
  RawAgent,
  scratchFolder,
  testHub,
  withSession,
} from "./rig.ts";

const SESSION: HubSessionInfo = {
  sessionId: "s",
  agent: "raw",
  owner: "ada",
  cwd: "/a",
  additionalDirectories: [],
  title: undefined,
  isBusy: false,
  queued: 0,
  controllers: 0,
  observers: 0,
  usedAt: 0,
};

const USES: readonly SessionUse[] = ["follow", "control", "own"];
type Client = Pick<HubClientOptions, "owner" | "role" | "mayUse">;

describe("access to a session", () => {
  it.each<[string, Client, string]>([
    ["its owner", { owner: "ada" }, "granted granted granted"],
    ["an observer of its owner", { owner: "ada", role: "observer" }, "granted observer observer"],
    ["another owner", { owner: "bob" }, "unknown unknown unknown"],
    ["a guest", { owner: "bob", mayUse: () => true }, "granted granted unknown"],
    [
      "an observing guest",
      { owner: "bob", role: "observer", mayUse: () => true },
      "granted observer unknown",
    ],
    [
      "its owner, whose token leaves out the folder",
      { owner: "ada", mayUse: ({ cwd }) => cwd === "/b" },
      "unknown unknown unknown",
    ],
  ])("of %s", (_, client, expected) => {
    expect(USES.map((use) => sessionAccess(client, SESSION, use)).join(" ")).toBe(expected);
  });

  it("of a controller that attached as an observer", () => {
    const uses = USES.map((use) => sessionAccess({ owner: "ada" }, SESSION, use, "observer"));
    expect(uses).toEqual(["granted", "observer", "observer"]);
  });
});

/** The owners of sessions, in memory. */
function owners(): SessionOwners {
  const known = new Map<string, string>();
  return {
    ownerOf: (id) => known.get(id),
    add: (id, owner) => void known.set(id, owner),
    remove: (id) => void known.delete(id),
  };
}

class NamingAgent extends RawAgent {
  static #last = 0;

  constructor() {
    super({
      "session/new": () => ({ sessionId: `n${++NamingAgent.#last}` }),
      "session/fork": () => ({ sessionId: `n${++NamingAgent.#last}` }),
      "session/set_mode": () => ({}),
      "session/close": () => ({}),
      "session/delete": () => ({}),
    });
  }

  /** The methods of all messages about a session that reached the agent. */
  about(text: string): unknown[] {
    return this.runs.flatMap(({ lines }) =>
      lines.filter((line) => line.includes(text)).map((line) => at(JSON.parse(line), "method")),
    );
  }
}

/** A hub in which `ada` has a session, and `bob` is a client of the same agent. */
async function twoOwners(bob: Partial<HubClientOptions> = {}, folders: object = {}) {
  const agent = new NamingAgent();
  const hub = testHub({ log: { folder: await scratchFolder() }, owners: owners() });
  const ada = connect(hub, agent, { owner: "ada" });
  await ada.request("initialize", INITIALIZE);
  const opened = await ada.request("session/new", { cwd: "/a", mcpServers: [], ...folders });
  const sessionId = String(at(opened, "result", "sessionId"));
  const client = connect(hub, agent, { owner: "bob", ...bob });
  await client.request("initialize", { ...INITIALIZE, _meta: { "dragoman/seq": true } });
  const before = agent.about(sessionId).length;
  /** What reached the agent after the attack, behind a message that certainly does. */
  const reached = async (): Promise<unknown[]> => {
    await client.request("_vendor/barrier", {});
    return agent.about(sessionId).slice(before);
  };
  return { agent, hub, ada, client, sessionId, reached };
}

describe("a session of another owner", () => {
  const params = { cwd: "/a", mcpServers: [] };
  it.each([
    ["_dragoman/session/attach", {}],
    ["session/fork", params],
    ["session/load", params],
    ["session/resume", params],
    ["session/set_mode", { modeId: "x" }],
    ["session/close", {}],
    ["_vendor/any", {}],
  ])("is unknown to %s", async (method, rest) => {
    const { client, sessionId, reached } = await twoOwners();
    const answer = await client.request(method, { sessionId, ...rest });
    expect(at(answer, "error", "code")).toBe(-32002);
    expect(await reached()).toEqual([]);
  });

  it("is not cancelled", async () => {
    const { client, sessionId, reached } = await twoOwners();
    client.notify("session/cancel", { sessionId });
    client.notify("_vendor/tell", { sessionId });
    expect(await reached()).toEqual([]);
  });

  it("can be prompted by a guest, but not copied, loaded, closed or deleted", async () => {
    const { client, sessionId, reached } = await twoOwners({ mayUse: () => true });
    await client.request("_dragoman/session/attach", { sessionId });
    const asked = await client.request("session/prompt", prompt(sessionId, "hi"));
    expect(at(asked, "result", "stopReason")).toBe("end_turn");
    for (const method of ["fork", "load", "resume", "close", "delete"]) {
      const answer = await client.request(`session/${method}`, { sessionId, ...params });
      expect(at(answer, "error", "code")).toBe(-32002);
    }
    expect(await reached()).toEqual(["session/prompt"]);
  });

  it("cannot be attached to if one of its additional folders is out of reach", async () => {
    const mayUse: HubClientOptions["mayUse"] = ({ cwd, additionalDirectories }) =>
      [cwd, ...additionalDirectories].every((folder) => folder === "/a");
    const more = { additionalDirectories: ["/secret"] };
    const { client, sessionId } = await twoOwners({ mayUse }, more);
    const listed = await client.request("_dragoman/session/list", {});
    expect(at(listed, "result", "sessions")).toEqual([]);
    const answer = await client.request("_dragoman/session/attach", { sessionId });
    expect(at(answer, "error", "code")).toBe(-32002);
  });
});

describe("the owner's own session", () => {
  it.each(["fork", "load", "resume", "close", "delete", "set_mode"])(
    "is out of reach for session/%s if the folders of the token leave it out",
    async (method) => {
      const bob = { owner: "ada", mayUse: ({ cwd }: HubSessionInfo) => cwd !== "/a" };
      const { client, sessionId, reached } = await twoOwners(bob);
      const params = { sessionId, cwd: "/b", mcpServers: [] };
      const answer = await client.request(`session/${method}`, params);
      // Deleting a session that does not exist is up to what the agent can do.
      expect(at(answer, "error", "code")).toBe(method === "delete" ? -32601 : -32002);
      expect(await reached()).toEqual([]);
    },
  );

  it("can be forked, and the copy belongs to the same owner", async () => {
    const { ada, client, sessionId } = await twoOwners();
    const fork = { sessionId, cwd: "/a", mcpServers: [] };
    const copy = at(await ada.request("session/fork", fork), "result", "sessionId");
    expect(at(await ada.request("session/set_mode", { sessionId: copy }), "result")).toEqual({});
    const stolen = await client.request("session/set_mode", { sessionId: copy });
    expect(at(stolen, "error", "code")).toBe(-32002);
  });
});

describe("a client that only attaches", () => {
  it.each(["load", "resume", "fork", "new"])(
    "cannot reach the agent of its session with session/%s, which nobody would check",
    async (method) => {
      const folder = await scratchFolder();
      const checkOpen: HubOptions["checkOpen"] = ({ params }) => ({ ...params, mcpServers: [] });
      const agent = new NamingAgent();
      const hub = testHub({ log: { folder }, owners: owners(), checkOpen });
      const { sessionId } = await withSession(hub, agent);
      const before = agent.about(sessionId).length;
      const client = connect(hub, agent);
      await client.request("initialize", { ...INITIALIZE, _meta: { "dragoman/attach": true } });
      const attached = await client.request("_dragoman/session/attach", { sessionId });
      expect(at(attached, "result", "role")).toBe("controller");
      const mcpServers = [{ name: "x", command: "sh", args: [], env: [] }];
      const params = { sessionId, cwd: "/", mcpServers };
      const answer = await client.request(`session/${method}`, params);
      expect(at(answer, "error", "code")).toBe(-32600);
      await client.request("session/set_mode", { sessionId, modeId: "x" });
      expect(agent.about(sessionId).slice(before)).toEqual(["session/set_mode"]);
    },
  );
});

describe("a session named by a non-string", () => {
  it.each([
    ["session/prompt", ["ID"]],
    ["session/set_mode", ["ID"]],
    ["session/load", { toString: "ID" }],
    ["session/fork", 7],
    ["session/delete", ["ID"]],
    ["_vendor/any", true],
  ])("is refused in %s", async (method, name) => {
    const { ada, agent, sessionId } = await twoOwners();
    const given: unknown = JSON.parse(JSON.stringify(name).replace("ID", sessionId));
    const answer = await ada.request(method, { sessionId: given, cwd: "/a", mcpServers: [] });
    expect(at(answer, "error", "code")).toBe(-32602);
    expect(agent.about(method)).toEqual([]);
  });

  it("is not cancelled", async () => {
    const agent = new NamingAgent();
    const { client, sessionId } = await withSession(testHub(), agent);
    client.notify("session/cancel", { sessionId: [sessionId] });
    await client.request("_vendor/barrier", {});
    expect(agent.about("session/cancel")).toEqual([]);
  });
});

describe("a hub that checks how sessions are opened", () => {
  /** A client of such a hub with a session, and what reached the agent since. */
  async function guarded() {
    const agent = new NamingAgent();
    const hub = testHub({ checkOpen: ({ params }) => params, owners: owners() });
    const { client, sessionId } = await withSession(hub, agent);
    const before = agent.run.lines.length;
    const reached = async (): Promise<unknown[]> => {
      await client.request("_vendor/barrier", {});
      const frames = agent.run.frames.slice(before);
      return frames.map(({ method }) => method).filter((method) => method !== "_vendor/barrier");
    };
    return { client, sessionId, reached };
  }

  it.each([
    ["session/new", { mcp_servers: [{ name: "x", command: "sh" }] }],
    ["session/new", { McpServers: [{ name: "x", command: "sh" }] }],
    ["session/new", { additional_directories: ["/etc"] }],
    ["session/new", { field_meta: {} }],
    ["session/new", { _META: {} }],
    ["session/new", { CWD: "/etc" }],
    ["session/load", { session_id: "S1" }],
    ["session/delete", { SessionId: "S1" }],
    ["session/prompt", { session_id: "S1" }],
    ["session/set_mode", { ["se\u017f\u017fionId"]: "S1" }],
  ])("refuses %s with %j, which some agents read", async (method, params) => {
    const { client, reached } = await guarded();
    const answer = await client.request(method, { cwd: "/a", mcpServers: [], ...params });
    expect([-32600, -32602]).toContain(at(answer, "error", "code"));
    expect(await reached()).toEqual([]);
  });

  it.each(["session/new", "session/load", "session/delete", "session/prompt", "authenticate"])(
    "drops %s without an id, which some agents would serve",
    async (method) => {
      const { client, sessionId, reached } = await guarded();
      client.notify(method, { sessionId, cwd: "/etc", mcpServers: [{ command: "sh" }] });
      expect(await reached()).toEqual([]);
    },
  );

  it("still passes a cancel and extensions on", async () => {
    const { client, sessionId, reached } = await guarded();
    client.notify("session/cancel", { sessionId });
    client.notify("_vendor/tell", { sessionId, session_id: "any" });
    expect(await reached()).toEqual(["session/cancel", "_vendor/tell"]);
  });
});

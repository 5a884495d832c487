import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GateOptions, SessionGateOptions } from "../../../src/client/gate/access.ts";
import { AgentGate } from "../../../src/client/gate/gate.ts";
import type {
  PermissionFunction,
  PermissionRequest,
} from "../../../src/client/gate/permissions/policy.ts";
import type { ElicitationProvider } from "../../../src/client/gate/providers/provider.ts";
import { localTerminals } from "../../../src/client/gate/providers/local-terminals.ts";
import { fakeTerminals } from "./fake-terminals.ts";
import { TestSession } from "./harness.ts";
import { scratch } from "./scratch.ts";
import { virtualFiles } from "./virtual-files.ts";

const READ = "fs/read_text_file";
const WRITE = "fs/write_text_file";
const FILES = { fs: { writeTextFile: true } } as const;

/** Several sessions of one gate, all in the same scratch folder unless they say otherwise. */
function sessions(
  client: GateOptions,
  own: Readonly<Record<string, SessionGateOptions & { readonly cwd?: string }>>,
) {
  const tree = scratch();
  const gate = new AgentGate(client);
  const all = new Map(
    Object.entries(own).map(([id, { cwd = tree.top, ...options }]) => [
      id,
      new TestSession(id, [cwd], gate, options),
    ]),
  );
  const signal = new AbortController().signal;
  return {
    tree,
    gate,
    session: (id: string) => all.get(id),
    ask: (sessionId: string, method: string, params: object): Promise<unknown> =>
      gate.request(method, { sessionId, ...params }, { id: 1, bytes: 0, signal }, (id) =>
        all.get(id),
      ),
    async [Symbol.asyncDispose]() {
      await gate.close();
      tree[Symbol.dispose]();
    },
  };
}

/** A permission function that always chooses an `always` option, and records what it was asked. */
function alwaysAllow(): { readonly asked: PermissionRequest[]; readonly ask: PermissionFunction } {
  const asked: PermissionRequest[] = [];
  return {
    asked,
    ask: (request) => {
      asked.push(request);
      return { optionId: "allow_always" };
    },
  };
}

describe("the options of a session", () => {
  it("override those of the client, for that session only", async () => {
    const tree = virtualFiles({ "/v/a": "virtual" });
    const inSession = fakeTerminals();
    const inClient = fakeTerminals();
    await using s = sessions(
      { permissions: "all", capabilities: FILES, terminal: inClient.provider },
      {
        plain: {},
        own: { cwd: "/v", fs: { provider: tree.provider }, terminal: inSession.provider },
      },
    );
    writeFileSync(join(s.tree.top, "a"), "disk");
    expect(await s.ask("plain", READ, { path: join(s.tree.top, "a") })).toEqual({
      content: "disk",
    });
    expect(await s.ask("own", READ, { path: "/v/a" })).toEqual({ content: "virtual" });
    await s.ask("plain", "terminal/create", { command: "one" });
    await s.ask("own", "terminal/create", { command: "two" });
    expect(inClient.requests).toMatchObject([{ command: "one", cwd: s.tree.top }]);
    expect(inSession.requests).toMatchObject([{ command: "two", cwd: "/v" }]);
  });

  it("set who decides", async () => {
    await using s = sessions(
      { permissions: "all" },
      { plain: {}, strict: { permissions: "deny" } },
    );
    writeFileSync(join(s.tree.top, "a"), "x");
    const path = join(s.tree.top, "a");
    expect(await s.ask("plain", READ, { path })).toEqual({ content: "x" });
    await expect(s.ask("strict", READ, { path })).rejects.toMatchObject({ rpcCode: -32003 });
  });

  it("keep the other fields of the client's fs", async () => {
    const tree = virtualFiles();
    await using s = sessions(
      { capabilities: FILES, fs: { missingFile: "empty" } },
      { own: { cwd: "/v", fs: { provider: tree.provider } } },
    );
    expect(await s.ask("own", READ, { path: "/v/gone" })).toEqual({ content: "" });
  });

  it("send questions to the session's own provider, and their completion too", async () => {
    const heard: string[] = [];
    const provider = (name: string) => ({
      url: () => {
        heard.push(`${name} asked`);
        return { action: "accept" } as const;
      },
      completed: (id: string) => void heard.push(`${name} completed ${id}`),
    });
    await using s = sessions(
      { elicitation: provider("client") },
      { plain: {}, own: { elicitation: provider("session") }, silent: { elicitation: null } },
    );
    const question = (elicitationId: string) => ({
      mode: "url",
      message: "?",
      url: "https://example.com",
      elicitationId,
    });
    await s.ask("own", "elicitation/create", question("1"));
    await s.ask("plain", "elicitation/create", question("2"));
    s.gate.notification("elicitation/complete", { elicitationId: "1" });
    s.gate.notification("elicitation/complete", { elicitationId: "2" });
    expect(heard).toEqual([
      "session asked",
      "client asked",
      "session completed 1",
      "client completed 2",
    ]);
    await expect(s.ask("silent", "elicitation/create", question("3"))).rejects.toMatchObject({
      rpcCode: -32601,
    });
  });

  it("can switch terminals off", async () => {
    const { provider } = fakeTerminals();
    await using s = sessions(
      { permissions: "all", terminal: provider },
      { quiet: { terminal: null } },
    );
    await expect(s.ask("quiet", "terminal/create", { command: "ls" })).rejects.toMatchObject({
      rpcCode: -32601,
    });
  });

  it("can bring a provider that the client has advertised without one", async () => {
    const { provider, requests } = fakeTerminals();
    await using s = sessions(
      { permissions: "all", capabilities: { terminal: true } },
      { own: { terminal: provider }, plain: {} },
    );
    await s.ask("own", "terminal/create", { command: "ls" });
    expect(requests).toHaveLength(1);
    await expect(s.ask("plain", "terminal/create", { command: "ls" })).rejects.toMatchObject({
      rpcCode: -32601,
    });
  });
});

describe("a session is not started", () => {
  const { provider } = virtualFiles();
  const url: ElicitationProvider = { url: () => ({ action: "decline" }) };

  it.each<[string, GateOptions, SessionGateOptions, string]>([
    ["terminals that are not advertised", {}, { terminal: fakeTerminals().provider }, "terminal"],
    ["writes that are not advertised", {}, { fs: { provider } }, "fs.writeTextFile"],
    [
      "reads that are switched off",
      { capabilities: { fs: { readTextFile: false, writeTextFile: true } } },
      { fs: { provider } },
      "fs.readTextFile",
    ],
    [
      "a question mode that is not advertised",
      { elicitation: { form: () => ({ action: "decline" }) } },
      { elicitation: url },
      "elicitation.url",
    ],
  ])("with %s", (_case, client, own, capability) => {
    expect(() => new AgentGate(client).access(["/x"], own)).toThrow(
      `the session has a provider for ${capability}, which this client does not advertise`,
    );
  });

  it("with files elsewhere and the client's terminals of this machine", () => {
    const gate = new AgentGate({ terminal: localTerminals(), capabilities: FILES });
    expect(() => gate.access(["/v"], { fs: { provider } })).toThrow("not on this disk");
    expect(gate.access(["/v"], { fs: { provider }, terminal: null }).terminal).toBeUndefined();
  });

  it("with permissions that are not valid", () => {
    const permissions = JSON.parse('"everything"') as "all";
    expect(() => new AgentGate().access(["/x"], { permissions })).toThrow(
      "unknown permission policy",
    );
  });
});

describe("a choice that is remembered for the agent", () => {
  const WRITING = { sticky: "agent", capabilities: FILES } as const;
  const write = { content: "x" };

  it("holds for other sessions with the client's permissions", async () => {
    const client = alwaysAllow();
    await using s = sessions({ ...WRITING, permissions: client.ask }, { one: {}, two: {} });
    await s.ask("one", WRITE, { path: join(s.tree.top, "a"), ...write });
    await s.ask("two", WRITE, { path: join(s.tree.top, "b"), ...write });
    expect(client.asked).toHaveLength(1);
  });

  it("does not reach a session with permissions of its own", async () => {
    const client = alwaysAllow();
    const strict: PermissionRequest[] = [];
    await using s = sessions(
      { ...WRITING, permissions: client.ask },
      {
        plain: {},
        asking: {
          permissions: (request) => {
            strict.push(request);
            return "deny";
          },
        },
        reading: { permissions: "read" },
      },
    );
    const path = join(s.tree.top, "a");
    await s.ask("plain", WRITE, { path, ...write });
    await expect(s.ask("asking", WRITE, { path, ...write })).rejects.toMatchObject({
      rpcCode: -32003,
    });
    await expect(s.ask("reading", WRITE, { path, ...write })).rejects.toMatchObject({
      rpcCode: -32003,
    });
    expect(strict).toHaveLength(1);
  });

  it("does not leave a session with permissions of its own", async () => {
    const lenient = alwaysAllow();
    await using s = sessions(
      { ...WRITING, permissions: { policy: "read", ask: () => "deny" } },
      { lenient: { permissions: lenient.ask }, plain: {} },
    );
    const path = join(s.tree.top, "a");
    await s.ask("lenient", WRITE, { path, ...write });
    await s.ask("lenient", WRITE, { path, ...write });
    expect(lenient.asked).toHaveLength(1);
    await expect(s.ask("plain", WRITE, { path, ...write })).rejects.toMatchObject({
      rpcCode: -32003,
    });
  });

  it("holds for sessions that were given the same permissions", async () => {
    const shared = alwaysAllow();
    await using s = sessions(WRITING, {
      one: { permissions: shared.ask },
      two: { permissions: shared.ask },
    });
    await s.ask("one", WRITE, { path: join(s.tree.top, "a"), ...write });
    await s.ask("two", WRITE, { path: join(s.tree.top, "b"), ...write });
    expect(shared.asked).toHaveLength(1);
  });

  it("does not reach the same path in another place", async () => {
    const client = alwaysAllow();
    const [one, two] = [virtualFiles(), virtualFiles()];
    await using s = sessions(
      { ...WRITING, permissions: client.ask },
      {
        one: { cwd: "/v", fs: { provider: one.provider } },
        two: { cwd: "/v", fs: { provider: two.provider } },
        again: { cwd: "/v", fs: { provider: one.provider } },
      },
    );
    await s.ask("one", WRITE, { path: "/v/a", ...write });
    await s.ask("two", WRITE, { path: "/v/a", ...write });
    await s.ask("again", WRITE, { path: "/v/a", ...write });
    expect(client.asked.map(({ session }) => session.id)).toEqual(["one", "two"]);
  });

  it("does not reach the same command on another machine", async () => {
    const client = alwaysAllow();
    const [near, far] = [fakeTerminals(), fakeTerminals()];
    await using s = sessions(
      { ...WRITING, permissions: client.ask, terminal: near.provider },
      { near: {}, far: { terminal: far.provider } },
    );
    await s.ask("near", "terminal/create", { command: "rm x" });
    await s.ask("far", "terminal/create", { command: "rm x" });
    expect(client.asked.map(({ session }) => session.id)).toEqual(["near", "far"]);
  });
});

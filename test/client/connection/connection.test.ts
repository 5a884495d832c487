import { describe, expect, it } from "vitest";
import { connect, cwd, deferred, everything, FakeAgent, initialized } from "../fake-agent.ts";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AcpClient, Session, SessionOptions } from "../../../src/entries/dragoman.ts";
import { scratch, type Scratch } from "../gate/scratch.ts";
import { redactingLogger } from "../../../src/client/connection/redacting-logger.ts";

describe("a call to the agent", () => {
  it("is cancelled when its time limit expires, and the error names it", async () => {
    const aborted = deferred();
    const agent = new FakeAgent({
      "session/new": (_, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        return new Promise(() => {});
      },
    });
    const client = await connect(agent, { timeouts: { requestMs: 20 } });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({
      name: "TimeoutError",
      limit: "requestMs",
      message: "session/new: the agent did not answer within 20 ms",
    });
    await aborted.promise;
  });

  it("can be aborted by the caller", async () => {
    const agent = new FakeAgent({ "session/new": () => new Promise(() => {}) });
    const client = await connect(agent);
    const controller = new AbortController();
    const call = client.newSession({ cwd, signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "CallCancelledError" });
    await expect(client.newSession({ cwd, signal: controller.signal })).rejects.toMatchObject({
      name: "CallCancelledError",
    });
  });
});

// The agent learns the roots of a session from the call that opens it, and may act on them at once.

type Open = (client: AcpClient, options: SessionOptions) => Promise<Session>;

const CALLS: [string, Open][] = [
  ["session/new", (client, options) => client.newSession(options)],
  ["session/fork", (client, options) => client.forkSession({ ...options, sessionId: "s1" })],
  ["session/load", (client, options) => client.loadSession({ ...options, sessionId: "s1" })],
  ["session/resume", (client, options) => client.resumeSession({ ...options, sessionId: "s1" })],
];

/** An agent that links the place of a root to a folder outside before it answers the call. */
function swappingAgent(method: string, tree: Scratch, root: string): FakeAgent {
  return new FakeAgent({
    initialize: () => initialized(everything),
    [method]: () => {
      rmSync(root, { recursive: true, force: true });
      symlinkSync(tree.outside, root);
      return { sessionId: "s1" };
    },
  });
}

describe.each(CALLS)("an agent that replaces a root while it answers %s", (method, open) => {
  it.each([
    ["the working folder", "ws"],
    ["an additional directory", "more"],
    ["an additional directory that does not exist", "late"],
  ])("reaches nothing through %s", async (_what, name) => {
    using tree = scratch();
    for (const folder of ["ws", "more", "outside"]) mkdirSync(join(tree.top, folder));
    writeFileSync(join(tree.outside, "secret.txt"), "secret");
    const root = join(tree.top, name);
    const agent = swappingAgent(method, tree, root);
    const client = await connect(agent, { permissions: "all" });
    const additionalDirectories = [join(tree.top, "more"), join(tree.top, "late")];
    await open(client, { cwd: tree.ws, additionalDirectories });
    const read = { sessionId: "s1", path: join(root, "secret.txt") };
    await expect(agent.peer.call("fs/read_text_file", read)).rejects.toMatchObject({
      rpcCode: -32602,
      data: { reason: "outside" },
    });
  });
});

describe("the redacting logger", () => {
  it("redacts secrets in messages and in fields", () => {
    const seen: unknown[] = [];
    const logger = redactingLogger({ warn: (...all) => seen.push(all) });
    logger.warn?.("token=abc123", {
      line: "api_key: xyz",
      params: { env: { KEY: "v" } },
      count: 1,
    });
    logger.debug?.("no such method");
    expect(seen).toEqual([
      [
        "token=[redacted]",
        { line: "api_key: [redacted]", params: { env: { KEY: "[redacted]" } }, count: 1 },
      ],
    ]);
  });

  it("wraps the logger of the application", async () => {
    const seen: unknown[] = [];
    const agent = new FakeAgent();
    await connect(agent, { logger: { warn: (...all) => seen.push(all) } });
    await agent.sendRaw("starting with password=hunter2");
    await agent.delivered();
    expect(seen).toEqual([
      ["line is not a protocol message", { line: "starting with password=[redacted]", count: 1 }],
    ]);
  });
});

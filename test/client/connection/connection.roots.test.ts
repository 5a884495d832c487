// The agent learns the roots of a session from the call that opens it, and may act on them at once.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcpClient, Session, StoredSessionOptions } from "../../../src/entries/dragoman.ts";
import { connect, everything, FakeAgent, initialized } from "../fake-agent.ts";
import { scratch, type Scratch } from "../gate/scratch.ts";

type Open = (client: AcpClient, options: StoredSessionOptions) => Promise<Session>;

const CALLS: [string, Open][] = [
  ["session/new", (client, options) => client.newSession(options)],
  ["session/fork", (client, options) => client.forkSession(options)],
  ["session/load", (client, options) => client.loadSession(options)],
  ["session/resume", (client, options) => client.resumeSession(options)],
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
    await open(client, { sessionId: "s1", cwd: tree.ws, additionalDirectories });
    const read = { sessionId: "s1", path: join(root, "secret.txt") };
    await expect(agent.peer.call("fs/read_text_file", read)).rejects.toMatchObject({
      code: -32602,
      data: { reason: "outside" },
    });
  });
});

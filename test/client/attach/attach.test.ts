import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  AcpClient,
  ATTACH_META,
  ATTACH_METHODS,
  CapabilityError,
  type Permissions,
  SessionError,
  type SessionEvent,
} from "../../../src/client/index.ts";
import { createHub, type Hub } from "../../../src/host/hub/index.ts";
import { deferred } from "../../../src/base/index.ts";
import { memoryPair, openProcess } from "../../../src/transport/wire/index.ts";
import { AGENT } from "../../apps/cli/support/bin.ts";

let folder: string;
let hub: Hub;
const clients: AcpClient[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-attach-"));
  hub = createHub({ log: { folder } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await hub.close();
  await rm(folder, { recursive: true, force: true });
});

const agent = {
  name: "scripted",
  key: "scripted",
  open: () => openProcess({ command: process.execPath, args: [AGENT], cwd: folder }),
};

async function connected(
  options: { isOwner?: boolean; permissions?: Permissions; role?: "observer" } = {},
): Promise<AcpClient> {
  const { isOwner = false, permissions = "deny", role } = options;
  const [ours, theirs] = memoryPair();
  hub.serve(theirs, { agent, owner: "me", role });
  const client = await AcpClient.start({
    channel: ours,
    permissions,
    ...(isOwner ? {} : { meta: { [ATTACH_META]: true } }),
  });
  clients.push(client);
  return client;
}

async function opened() {
  const owner = await connected({ isOwner: true });
  return owner.newSession({ cwd: folder });
}

/** Reads until an event matches, and returns everything up to it. */
async function readUntil(
  events: AsyncIterable<SessionEvent>,
  matches: (event: SessionEvent) => boolean,
): Promise<SessionEvent[]> {
  const seen: SessionEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (matches(event)) return seen;
  }
  throw new Error("the stream ended");
}

const isTurnEnd = (event: SessionEvent): boolean =>
  event.type === "extension" && event.method === ATTACH_METHODS.turnEnded;

const textOf = (events: readonly SessionEvent[]): string =>
  events
    .map((event) =>
      event.type === "user_message_chunk" && event.content.type === "text"
        ? `<${event.content.text}>`
        : event.text,
    )
    .join("");

describe("an attached session", () => {
  it("replays what was said, and follows what others do", async () => {
    const session = await opened();
    await session.prompt("hello").result;
    const client = await connected();
    expect(await client.sharedSessions()).toMatchObject([
      { sessionId: session.id, agent: "scripted", cwd: folder, isBusy: false, controllers: 1 },
    ]);
    const replayed: SessionEvent[] = [];
    const attached = await client.attach(session.id, {
      onReplay: (update) => replayed.push(update),
    });
    expect(textOf(replayed)).toBe("<hello>Hello, world");
    expect(attached).toMatchObject({ role: "controller", cwd: folder, isBusy: false, first: 1 });
    const { seq } = attached;
    const reading = readUntil(
      attached.updates(),
      (event) => isTurnEnd(event) && attached.seq > seq,
    );
    await session.prompt("blocks").result;
    const text = textOf(await reading);
    expect(text).toContain("<blocks>");
    expect(attached.isBusy).toBe(false);
  });

  it("takes prompts, which the first client sees", async () => {
    const session = await opened();
    const reading = readUntil(session.updates(), ({ text }) => text === ", world");
    const attached = await (await connected()).attach(session.id);
    const turn = attached.prompt("hello");
    expect(await turn.result).toMatchObject({ stopReason: "end_turn" });
    expect(textOf(await reading)).toBe("<hello>Hello, world");
  });

  it("continues after a position, so that nothing is shown twice", async () => {
    const session = await opened();
    await session.prompt("hello").result;
    const first = await connected();
    const { seq } = await first.attach(session.id);
    await first.close();
    await session.prompt("lines").result;
    const replayed: SessionEvent[] = [];
    const second = await connected();
    const again = await second.attach(session.id, {
      after: seq,
      onReplay: (update) => replayed.push(update),
    });
    expect(textOf(replayed).slice(0, 16)).toBe("<lines>line 0\nli");
    expect(replayed.filter(({ type }) => type === "agent_message_chunk")).toHaveLength(2000);
    expect(again.seq).toBeGreaterThan(seq + 2000);
  });

  it("cancels the turn of another client, and only leaves when it is closed", async () => {
    const session = await opened();
    const turn = session.prompt("hang");
    await readUntil(session.updates(), ({ text }) => text === "waiting");
    const attached = await (await connected()).attach(session.id);
    expect(attached.isBusy).toBe(true);
    await attached.cancel();
    expect(await turn.result).toMatchObject({ stopReason: "cancelled" });
    await attached.close();
    expect(attached.state).toBe("closed");
    expect(await session.prompt("hello").result).toMatchObject({ stopReason: "end_turn" });
  });

  it("is asked for permission, and the first answer of a controller counts", async () => {
    const withdrawn: boolean[] = [];
    const asked = deferred();
    const owner = await connected({
      isOwner: true,
      permissions: ({ signal }) =>
        new Promise((resolve) => {
          asked.resolve();
          signal.addEventListener("abort", () => {
            withdrawn.push(true);
            resolve("cancel");
          });
        }),
    });
    const session = await owner.newSession({ cwd: folder });
    const other = await connected({
      permissions: async () => asked.promise.then(() => "allow" as const),
    });
    await other.attach(session.id);
    expect(await session.prompt("edit").text()).toBe("once");
    expect(withdrawn).toEqual([true]);
  });

  it("only reads as an observer", async () => {
    const session = await opened();
    const attached = await (await connected()).attach(session.id, { role: "observer" });
    expect(attached.role).toBe("observer");
    await expect(attached.prompt("hello").result).rejects.toBeInstanceOf(CapabilityError);
    const turn = session.prompt("hang");
    await readUntil(attached.updates(), ({ text }) => text === "waiting");
    await attached.cancel();
    expect(session.turnState).not.toBe("cancelling");
    await turn.cancel();
  });

  it("is an observer's if the hub allows no more", async () => {
    const session = await opened();
    const attached = await (await connected({ role: "observer" })).attach(session.id);
    expect(attached.role).toBe("observer");
  });
});

describe("attaching", () => {
  it("fails with CapabilityError if the other side is a plain agent", async () => {
    const client = await AcpClient.start({ command: process.execPath, args: [AGENT] });
    clients.push(client);
    await expect(client.attach("s1")).rejects.toThrow(CapabilityError);
    await expect(client.sharedSessions()).rejects.toThrow(/is not a hub that shares sessions/);
  });

  it("fails with SessionError for a session that the hub does not share, or that is open here", async () => {
    const session = await opened();
    const client = await connected();
    await expect(client.attach("unknown")).rejects.toThrow(SessionError);
    await client.attach(session.id);
    await expect(client.attach(session.id)).rejects.toThrow(SessionError);
  });
});

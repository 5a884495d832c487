// Streams that are lost, stalled or never opened.
import { afterEach, describe, expect, it } from "vitest";
import {
  cleanUp,
  eventsIn,
  initialize,
  openStream,
  requestLine,
  send,
  startServer,
  updateLine,
} from "../rig.ts";

afterEach(cleanUp);

const KIB = 1024;

async function connected(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer(options);
  const named = { "acp-connection-id": await initialize(server) };
  const [channel] = server.channels;
  if (!channel) throw new Error("no channel");
  return { server, named, channel, ofSession: { ...named, "acp-session-id": "s" } };
}

describe("a stream that is opened again", () => {
  it("continues after the last event that the client names", async () => {
    const { server, channel, ofSession } = await connected();
    const first = await openStream(server, ofSession);
    for (let n = 1; n <= 5; n++) void channel.send(updateLine("s", n));
    await first.until('"n":5');
    first.cut();
    void channel.send(updateLine("s", 6));
    const second = await openStream(server, { ...ofSession, "last-event-id": "3" });
    void channel.send(updateLine("s", 7));
    await second.until('"n":7');
    expect(eventsIn(second.text())).toEqual([4, 5, 6, 7].map((n) => ({ id: n, n })));
  });

  it("continues with what was not sent yet, if the client names no event", async () => {
    const { server, channel, ofSession } = await connected();
    const first = await openStream(server, ofSession);
    void channel.send(updateLine("s", 1));
    await first.until('"n":1');
    first.cut();
    const second = await openStream(server, ofSession);
    void channel.send(updateLine("s", 2));
    await second.until('"n":2');
    expect(eventsIn(second.text()).map(({ n }) => n)).toEqual([2]);
  });

  it.each(["17", "-1", "abc", "1e3", ""])("is refused with 410 after event %j", async (last) => {
    const { server, channel, ofSession } = await connected();
    void channel.send(updateLine("s", 1));
    const stream = await openStream(server, { ...ofSession, "last-event-id": last });
    expect(stream.status).toBe(410);
  });

  it("is refused with 410 if events that it missed are not kept anymore", async () => {
    const { server, channel, ofSession } = await connected({ limits: { replayBytes: KIB } });
    const first = await openStream(server, ofSession);
    for (let n = 1; n <= 50; n++) void channel.send(updateLine("s", n, "x".repeat(100)));
    await first.until('"n":50');
    const lost = await openStream(server, { ...ofSession, "last-event-id": "1" });
    expect(lost.status).toBe(410);
    const near = await openStream(server, { ...ofSession, "last-event-id": "48" });
    await near.until('"n":50');
    expect(eventsIn(near.text()).map(({ n }) => n)).toEqual([49, 50]);
  });
});

describe("a client that does not read", () => {
  it("holds up the agent, and lets it go on when it reads again", async () => {
    const { server, channel, ofSession } = await connected();
    const text = "x".repeat(64 * KIB);
    let sent = 0;
    while (sent < 1000) {
      const room = channel.send(updateLine("s", ++sent, text));
      if (await isPending(room)) break;
    }
    // 1 MiB may wait; nothing was read yet.
    expect(sent).toBeLessThan(20);
    const waiting = channel.send(updateLine("s", ++sent, text));
    const stream = await openStream(server, ofSession);
    await waiting;
    void channel.send(updateLine("s", 0, "the end"));
    await stream.until("the end");
    await channel.close();
    await stream.ended;
    const expected = [...Array.from({ length: sent }, (_, index) => index + 1), 0];
    expect(eventsIn(stream.text()).map(({ n }) => n)).toEqual(expected);
  });

  it("is cut off after the stall limit, and the agent learns of it", async () => {
    const { channel } = await connected({ limits: { stallMs: 20 } });
    const text = "x".repeat(2 * KIB * KIB);
    await expect(channel.send(updateLine("s", 1, text))).rejects.toThrow("closed");
    expect(await channel.closed).toMatchObject({
      kind: "failed",
      error: { name: "ClientStalledError", message: expect.stringContaining("read nothing") },
    });
  });

  it("loses the connection if the agent does not wait", async () => {
    const { channel } = await connected({ limits: { maxUnreadBytes: 4 * KIB * KIB } });
    const text = "x".repeat(KIB * KIB);
    for (let n = 0; n < 5; n++) void channel.send(updateLine("s", n, text));
    expect(await channel.closed).toMatchObject({ kind: "failed" });
  });
});

/** Whether a promise is still pending after everything that is ready has run. */
async function isPending(work: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  void work.then(done, done);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  return !isDone;
}

describe("a connection ends", () => {
  it("if no stream is opened within the grace period", async () => {
    const { server, named, channel } = await connected({ limits: { graceMs: 10 } });
    expect(await channel.closed).toMatchObject({ kind: "failed" });
    const body = requestLine(2, "session/new");
    expect((await send(server, { headers: named, body })).status).toBe(404);
  });

  it("if a client does not come back within the grace period", async () => {
    const { server, named, channel } = await connected({ limits: { graceMs: 50 } });
    const stream = await openStream(server, named);
    stream.cut();
    expect(await channel.closed).toMatchObject({ kind: "failed" });
  });

  it("if it is idle", async () => {
    const { server, named, channel } = await connected({ limits: { idleMs: 20 } });
    await openStream(server, named);
    expect(await channel.closed).toMatchObject({ kind: "ended" });
  });

  it("if the agent does not answer initialize in time", async () => {
    const server = await startServer({ limits: { initializeMs: 10 } }, () => {});
    const answer = await send(server, { body: requestLine(1, "initialize") });
    expect(answer.status).toBe(504);
    expect(await server.channels[0]?.closed).toMatchObject({ kind: "ended" });
  });
});

it("a client that sends faster than the agent reads has to wait", async () => {
  const { server, named, channel } = await connected();
  channel.pause();
  let isAnswered = false;
  const posted = send(server, { headers: named, body: requestLine(2, "session/new") }).then(
    (answer) => {
      isAnswered = true;
      return answer;
    },
  );
  // Another request is answered in the meantime.
  expect((await send(server, { method: "PUT", headers: named })).status).toBe(405);
  expect(isAnswered).toBe(false);
  channel.resume();
  expect((await posted).status).toBe(202);
});

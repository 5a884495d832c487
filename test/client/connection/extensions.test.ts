import { describe, expect, it } from "vitest";
import { z } from "zod";
import { withParams } from "../../../src/entries/dragoman.ts";
import type { ExtensionEvent } from "../../../src/client/index.ts";
import { RpcError } from "../../../src/transport/rpc/index.ts";
import { connect, cwd, FakeAgent, openSession } from "../fake-agent.ts";

const Point = z.object({ x: z.number(), y: z.number() });

describe("a call of an extension method", () => {
  it("sends the params as they are and resolves with the answer", async () => {
    const agent = new FakeAgent({ "_acme/echo": (params) => ({ echoed: params }) });
    const client = await connect(agent);
    expect(await client.call("_acme/echo", { a: [1] })).toEqual({ echoed: { a: [1] } });
  });

  it("resolves with the parsed answer, and rejects with the parser's error", async () => {
    const answers: unknown[] = [{ x: 1, y: 2 }, { x: "one" }];
    const client = await connect(new FakeAgent({ "_acme/where": () => answers.shift() }));
    const parse = (answer: unknown) => Point.parse(answer);
    const point = await client.call("_acme/where", {}, { parse });
    expect(point.x + point.y).toBe(3);
    await expect(client.call("_acme/where", {}, { parse })).rejects.toBeInstanceOf(z.ZodError);
  });

  it("rejects with the agent's error", async () => {
    const client = await connect(new FakeAgent());
    await expect(client.call("_acme/missing")).rejects.toMatchObject({ rpcCode: -32601 });
  });

  it("is cancelled by its signal", async () => {
    const agent = new FakeAgent({ "_acme/slow": () => new Promise(() => {}) });
    const client = await connect(agent);
    const controller = new AbortController();
    const calling = client.call("_acme/slow", {}, { signal: controller.signal });
    await agent.next("_acme/slow");
    controller.abort();
    await expect(calling).rejects.toMatchObject({ name: "CallCancelledError" });
  });

  it("is refused for a method of the protocol", async () => {
    const client = await connect(new FakeAgent());
    const method: string = "session/prompt";
    const invalid = { code: "invalid_argument" };
    await expect(client.call(method as `_${string}`)).rejects.toMatchObject(invalid);
    await expect(client.notify(method as `_${string}`)).rejects.toMatchObject(invalid);
  });
});

describe("a notification outside the protocol", () => {
  it("is sent in order with calls", async () => {
    const agent = new FakeAgent({ "_acme/done": () => ({}) });
    const client = await connect(agent);
    await client.notify("_acme/progress", { percent: 50 });
    await client.call("_acme/done", {});
    expect(agent.received.slice(-2).map(({ method }) => method)).toEqual([
      "_acme/progress",
      "_acme/done",
    ]);
  });

  it("is not sent if its signal is aborted before", async () => {
    const agent = new FakeAgent();
    const client = await connect(agent);
    const sending = client.notify("_acme/progress", {}, { signal: AbortSignal.abort() });
    await expect(sending).rejects.toMatchObject({ name: "CallCancelledError" });
    expect(agent.received.map(({ method }) => method)).toEqual(["initialize"]);
  });

  it("reaches its handler with its session and its meta", async () => {
    const agent = new FakeAgent();
    const heard: unknown[] = [];
    const client = await connect(agent, {
      notifications: {
        "_acme/progress": withParams(
          (params) => z.object({ percent: z.number() }).parse(params),
          ({ percent }, { session, meta }) => void heard.push([percent, session?.id, meta]),
        ),
      },
    });
    const session = await client.newSession({ cwd });
    const params = { sessionId: session.id, percent: 50, _meta: { a: 1 } };
    await agent.peer.notify("_acme/progress", params);
    // The parser refuses this one, which must not harm the connection.
    await agent.peer.notify("_acme/progress", { percent: "half" });
    await agent.delivered();
    expect(heard).toEqual([[50, session.id, { a: 1 }]]);
    expect(client.state).toBe("open");
  });

  it("without a handler is an event of its session and of the client", async () => {
    const agent = new FakeAgent();
    const events: ExtensionEvent[] = [];
    const { session } = await openSession(agent, {
      onExtension: (event) => void events.push(event),
    });
    const params = { sessionId: session.id, mood: "good" };
    await agent.peer.notify("_acme/mood", params);
    await agent.peer.notify("vendor/weather", { sunny: true });
    await agent.delivered();
    const event = {
      type: "extension",
      text: "",
      message: "notification",
      method: "_acme/mood",
      params,
    };
    expect(await session.updates().next()).toMatchObject({ done: false, value: event });
    expect(events.map(({ method }) => method)).toEqual(["_acme/mood", "vendor/weather", "_ping"]);
  });
});

describe("a request outside the protocol", () => {
  it("is answered by its handler, which may throw", async () => {
    const agent = new FakeAgent();
    await connect(agent, {
      requests: {
        "_acme/sum": withParams(
          (params) => Point.parse(params),
          async ({ x, y }) => ({ sum: x + y }),
        ),
        "_acme/refuse": () => {
          throw new RpcError(-32050, "not today", { until: "tomorrow" });
        },
        "_acme/break": () => {
          throw new Error("broken");
        },
      },
    });
    expect(await agent.peer.call("_acme/sum", { x: 1, y: 2 })).toEqual({ sum: 3 });
    await expect(agent.peer.call("_acme/sum", { x: 1 })).rejects.toMatchObject({ rpcCode: -32602 });
    await expect(agent.peer.call("_acme/refuse")).rejects.toMatchObject({
      rpcCode: -32050,
      data: { until: "tomorrow" },
    });
    await expect(agent.peer.call("_acme/break")).rejects.toMatchObject({ rpcCode: -32603 });
  });

  it("aborts the signal of its handler when the agent cancels it", async () => {
    const agent = new FakeAgent();
    let aborted = false;
    await connect(agent, {
      requests: {
        "_acme/wait": (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              aborted = true;
              resolve({});
            });
          }),
      },
    });
    const controller = new AbortController();
    const calling = agent.peer.call("_acme/wait", {}, { signal: controller.signal });
    controller.abort();
    await expect(calling).rejects.toMatchObject({ name: "CallCancelledError" });
    await agent.delivered();
    expect(aborted).toBe(true);
  });

  it("without a handler gets -32601 and is an event", async () => {
    const agent = new FakeAgent();
    const events: ExtensionEvent[] = [];
    await connect(agent, { onExtension: (event) => void events.push(event) });
    await expect(agent.peer.call("_acme/what", { a: 1 })).rejects.toMatchObject({
      rpcCode: -32601,
    });
    expect(events).toEqual([
      { type: "extension", text: "", message: "request", method: "_acme/what", params: { a: 1 } },
    ]);
  });

  it("is never taken from the prototype of the handlers", async () => {
    const agent = new FakeAgent();
    await connect(agent, { requests: {} });
    await expect(agent.peer.call("__proto__")).rejects.toMatchObject({ rpcCode: -32601 });
  });
});

// The peer delivers everything in wire order.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failure, notification, request, result } from "../../support/messages.ts";
import { connect } from "./raw.ts";

describe("wire order", () => {
  it("is kept for calls: a call settles after every frame before its response was delivered", async () => {
    const events: string[] = [];
    const { peer, send, untilWritten } = connect({
      handlers: {
        notification: (method) => events.push(method),
        request: (method) => void events.push(method),
      },
    });
    const first = peer.call("first").then(() => events.push("first settled"));
    const second = peer.call("second").then(() => events.push("second settled"));
    await untilWritten(2);
    send(
      notification("update 1"),
      request(7, "permission"),
      notification("update 2"),
      result(2, null),
      notification("update 3"),
      result(1, null),
    );
    await Promise.all([first, second]);
    expect(events.filter((event) => !event.includes("settled"))).toEqual([
      "update 1",
      "permission",
      "update 2",
      "update 3",
    ]);
    expect(events.indexOf("second settled")).toBeGreaterThan(events.indexOf("update 2"));
    expect(events.indexOf("first settled")).toBeGreaterThan(events.indexOf("update 3"));
  });

  it("is kept for requests: a permission request is delivered after its tool call", async () => {
    const known = new Set<unknown>();
    const { send, untilWritten } = connect({
      handlers: {
        notification: (_, params) => known.add(params),
        request: (_, params) => (known.has(params) ? "known" : "unknown"),
      },
    });
    for (let n = 0; n < 50; n++) send(notification("tool_call", n), request(n, "permission", n));
    const answers = await untilWritten(50);
    expect(answers.map((answer) => answer["result"])).toEqual(Array(50).fill("known"));
  });

  it("is kept by accept, which runs before any later frame is delivered", async () => {
    const events: string[] = [];
    const { peer, send, untilWritten } = connect({
      handlers: { notification: (method) => events.push(method) },
    });
    const call = peer.call(
      "session/new",
      {},
      {
        accept: (value) => {
          events.push("accepted");
          return (value as { sessionId: string }).sessionId;
        },
      },
    );
    void call.then(() => events.push("settled"));
    await untilWritten(1);
    send(result(1, { sessionId: "s" }), notification("update of s"));
    expect(await call).toBe("s");
    expect(events.indexOf("accepted")).toBe(0);
    expect(events.indexOf("update of s")).toBe(1);
  });

  it("is kept by refused, which runs before any later frame is delivered", async () => {
    const events: string[] = [];
    const { peer, send, untilWritten } = connect({
      handlers: { notification: (method) => events.push(method) },
    });
    const call = peer.call(
      "session/prompt",
      {},
      { accept: () => {}, refused: () => events.push("refused") },
    );
    await untilWritten(1);
    send(failure(1, -32603, "no"), notification("after the turn"));
    await expect(call).rejects.toThrow("no");
    expect(events).toEqual(["refused", "after the turn"]);
  });

  it("is not disturbed when accept throws: only its call rejects", async () => {
    const { peer, send, untilWritten } = connect();
    const call = peer.call(
      "a",
      {},
      {
        accept: () => {
          throw new Error("unexpected result");
        },
      },
    );
    await untilWritten(1);
    send(result(1, {}));
    await expect(call).rejects.toThrow("unexpected result");
    const next = peer.call("b");
    await untilWritten(2);
    send(result(2, "fine"));
    expect(await next).toBe("fine");
  });
});

describe("handlers", () => {
  it("run concurrently and never block reading", async () => {
    const waiting = new Map<unknown, (value: unknown) => void>();
    const seen: unknown[] = [];
    const { peer, send, untilWritten, written } = connect({
      handlers: {
        request: (_, params) => new Promise((resolve) => waiting.set(params, resolve)),
        notification: (_, params) => seen.push(params),
      },
    });
    send(request(1, "ask", "a"), request(2, "ask", "b"), notification("n", "behind"));
    const call = peer.call("mine");
    await untilWritten(1);
    send(result(1, "answered while they wait"));
    expect(await call).toBe("answered while they wait");
    expect(seen).toEqual(["behind"]);
    expect([...waiting.keys()]).toEqual(["a", "b"]);
    waiting.get("b")?.("second");
    await untilWritten(2);
    waiting.get("a")?.("first");
    await untilWritten(3);
    expect(written.slice(1)).toEqual([result(2, "second"), result(1, "first")]);
  });

  it("can call back before they answer, even 2000 at once", async () => {
    const near = connect({
      handlers: {
        request: async (_, params, { signal }) =>
          `answer to ${String(await near.peer.call("back", params, { signal }))}`,
      },
    });
    const { send, untilWritten, written } = near;
    for (let n = 0; n < 2000; n++) send(request(n, "ask", n));
    await untilWritten(2000);
    for (const frame of written) send(result(frame["id"], frame["params"]));
    await untilWritten(4000);
    expect(written.slice(2000).map((frame) => frame["result"])).toEqual(
      Array.from({ length: 2000 }, (_, n) => `answer to ${n}`),
    );
  });
});

describe("any interleaving", () => {
  type Step =
    | {
        readonly kind: "notification" | "call" | "answer" | "fail" | "request" | "again" | "turn";
      }
    | { readonly kind: "cancel"; readonly which: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom<Step>(
        { kind: "notification" },
        { kind: "call" },
        { kind: "answer" },
        { kind: "fail" },
        { kind: "request" },
        { kind: "again" },
        { kind: "turn" },
      ),
    },
    { weight: 1, arbitrary: fc.nat(5).map((which): Step => ({ kind: "cancel", which })) },
  );

  it("keeps wire order and settles every call exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 120 }),
        fc.boolean(),
        async (steps, farCloses) => {
          const order: number[] = [];
          const { peer, far, send, written, settled } = connect({
            handlers: {
              notification: (_, params) => order.push(params as number),
              request: (_, params) => void order.push(params as number),
            },
          });
          let sent = 0;
          /** For each call: how many frames were sent before its response, and its outcome. */
          const calls: { answeredAt?: number; seen?: number; outcomes: string[] }[] = [];
          const aborts: AbortController[] = [];
          const open: number[] = [];
          const closed: number[] = [];
          for (const one of steps) {
            switch (one.kind) {
              case "notification":
                send(notification("n", sent++));
                break;
              case "request":
                send(request(`r${sent}`, "r", sent++));
                break;
              case "call": {
                const call: (typeof calls)[number] = { outcomes: [] };
                calls.push(call);
                const abort = new AbortController();
                aborts.push(abort);
                open.push(calls.length);
                const settle = (how: string) => (): void => {
                  call.seen = order.length;
                  call.outcomes.push(how);
                };
                peer
                  .call("c", undefined, { signal: abort.signal })
                  .then(settle("ok"), settle("error"));
                break;
              }
              case "answer":
              case "fail": {
                const id = open.shift();
                if (id === undefined) break;
                closed.push(id);
                calls[id - 1]!.answeredAt = sent;
                send(
                  one.kind === "answer"
                    ? result(id, id)
                    : { id, error: { code: 1, message: "no" } },
                );
                break;
              }
              case "again": {
                const [id = 999] = closed;
                send(result(id, "again"));
                break;
              }
              case "cancel":
                aborts[one.which]?.abort();
                break;
              case "turn":
                await settled();
            }
          }
          await settled();
          if (farCloses) await far.close();
          else await peer.close();
          await peer.closed;
          await settled();
          expect(order).toEqual(Array.from({ length: sent }, (_, n) => n));
          for (const call of calls) {
            expect(call.outcomes).toHaveLength(1);
            if (call.outcomes[0] === "ok")
              expect(call.seen).toBeGreaterThanOrEqual(call.answeredAt!);
          }
          // Each call was written exactly once, regardless of its outcome.
          expect(written.filter((frame) => frame["method"] === "c")).toHaveLength(calls.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

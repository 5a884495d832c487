// Order is a promise: everything is handed over as it stands on the wire.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failure, joined, notification, request, result } from "./raw.ts";

describe("the order of the wire", () => {
  it("is kept: a call settles after every frame before its answer was handed over", async () => {
    const events: string[] = [];
    const { peer, say, until } = joined({
      handlers: {
        notification: (method) => events.push(method),
        request: (method) => void events.push(method),
      },
    });
    const first = peer.call("first").then(() => events.push("first settled"));
    const second = peer.call("second").then(() => events.push("second settled"));
    await until(2);
    say(
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
    await peer.close();
  });

  it("is kept for a request behind a notification, as a permission behind its tool call", async () => {
    const known = new Set<unknown>();
    const { peer, say, until } = joined({
      handlers: {
        notification: (_, params) => known.add(params),
        request: (_, params) => (known.has(params) ? "known" : "unknown"),
      },
    });
    for (let n = 0; n < 50; n++) say(notification("tool_call", n), request(n, "permission", n));
    const answers = await until(50);
    expect(answers.map((answer) => answer["result"])).toEqual(Array(50).fill("known"));
    await peer.close();
  });

  it("is kept by accept: it runs before any later frame is handed over", async () => {
    const events: string[] = [];
    const { peer, say, until } = joined({
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
    await until(1);
    say(result(1, { sessionId: "s" }), notification("update of s"));
    expect(await call).toBe("s");
    expect(events.indexOf("accepted")).toBe(0);
    expect(events.indexOf("update of s")).toBe(1);
    await peer.close();
  });

  it("is kept by an error too: who made the call hears of it before any later frame", async () => {
    const events: string[] = [];
    const { peer, say, until } = joined({
      handlers: { notification: (method) => events.push(method) },
    });
    const call = peer.call(
      "session/prompt",
      {},
      { accept: () => {}, refused: () => events.push("refused") },
    );
    await until(1);
    say(failure(1, -32603, "no"), notification("after the turn"));
    await expect(call).rejects.toThrow("no");
    expect(events).toEqual(["refused", "after the turn"]);
    await peer.close();
  });

  it("what accept throws rejects the call and nothing else", async () => {
    const { peer, say, until } = joined();
    const call = peer.call(
      "a",
      {},
      {
        accept: () => {
          throw new Error("not what was promised");
        },
      },
    );
    await until(1);
    say(result(1, {}));
    await expect(call).rejects.toThrow("not what was promised");
    const next = peer.call("b");
    await until(2);
    say(result(2, "fine"));
    expect(await next).toBe("fine");
    await peer.close();
  });
});

describe("handlers", () => {
  it("run side by side and never hold up reading", async () => {
    const waiting = new Map<unknown, (value: unknown) => void>();
    const seen: unknown[] = [];
    const { peer, say, until, heard } = joined({
      handlers: {
        request: (_, params) => new Promise((resolve) => waiting.set(params, resolve)),
        notification: (_, params) => seen.push(params),
      },
    });
    say(request(1, "ask", "a"), request(2, "ask", "b"), notification("n", "behind"));
    const call = peer.call("mine");
    await until(1);
    say(result(1, "answered while they wait"));
    expect(await call).toBe("answered while they wait");
    expect(seen).toEqual(["behind"]);
    expect([...waiting.keys()]).toEqual(["a", "b"]);
    waiting.get("b")?.("second");
    await until(2);
    waiting.get("a")?.("first");
    await until(3);
    expect(heard.slice(1)).toEqual([result(2, "second"), result(1, "first")]);
    await peer.close();
  });

  it("may call back before they answer, however many do", async () => {
    const near = joined({
      handlers: {
        request: async (_, params, { signal }) =>
          `answer to ${String(await near.peer.call("back", params, { signal }))}`,
      },
    });
    const { peer, say, until, heard } = near;
    for (let n = 0; n < 2000; n++) say(request(n, "ask", n));
    await until(2000);
    for (const frame of heard) say(result(frame["id"], frame["params"]));
    await until(4000);
    expect(heard.slice(2000).map((frame) => frame["result"])).toEqual(
      Array.from({ length: 2000 }, (_, n) => `answer to ${n}`),
    );
    await peer.close();
  });
});

describe("any interleaving", () => {
  type Step =
    | {
        readonly kind: "notification" | "call" | "answer" | "refuse" | "request" | "again" | "turn";
      }
    | { readonly kind: "cancel"; readonly which: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom<Step>(
        { kind: "notification" },
        { kind: "call" },
        { kind: "answer" },
        { kind: "refuse" },
        { kind: "request" },
        { kind: "again" },
        { kind: "turn" },
      ),
    },
    { weight: 1, arbitrary: fc.nat(5).map((which): Step => ({ kind: "cancel", which })) },
  );

  it("keeps the order and settles every call exactly once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 120 }),
        fc.boolean(),
        async (steps, endsByFar) => {
          const order: number[] = [];
          const { peer, far, say, heard, settled } = joined({
            handlers: {
              notification: (_, params) => order.push(params as number),
              request: (_, params) => void order.push(params as number),
            },
          });
          let said = 0;
          /** For each call, how many frames had been said when its answer was, and how it went. */
          const calls: { answeredAt?: number; seen?: number; outcomes: string[] }[] = [];
          const aborts: AbortController[] = [];
          const open: number[] = [];
          const closed: number[] = [];
          for (const one of steps) {
            switch (one.kind) {
              case "notification":
                say(notification("n", said++));
                break;
              case "request":
                say(request(`r${said}`, "r", said++));
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
              case "refuse": {
                const id = open.shift();
                if (id === undefined) break;
                closed.push(id);
                calls[id - 1]!.answeredAt = said;
                say(
                  one.kind === "answer"
                    ? result(id, id)
                    : { id, error: { code: 1, message: "no" } },
                );
                break;
              }
              case "again": {
                const [id = 999] = closed;
                say(result(id, "again"));
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
          if (endsByFar) await far.close();
          else await peer.close();
          await peer.closed;
          await settled();
          expect(order).toEqual(Array.from({ length: said }, (_, n) => n));
          for (const call of calls) {
            expect(call.outcomes).toHaveLength(1);
            if (call.outcomes[0] === "ok")
              expect(call.seen).toBeGreaterThanOrEqual(call.answeredAt!);
          }
          // Each call was written once, whatever became of it.
          expect(heard.filter((frame) => frame["method"] === "c")).toHaveLength(calls.length);
        },
      ),
      { numRuns: 60 },
    );
  });
});

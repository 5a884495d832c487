import { describe, expect, it } from "vitest";
import { ChannelClosedError } from "../../../src/transport/wire/channel.ts";
import { openProcess } from "../../../src/transport/wire/process/channel.ts";
import { ConnectionError } from "../../../src/transport/rpc/errors.ts";
import { Peer } from "../../../src/transport/rpc/peer.ts";
import { request, result } from "../../support/messages.ts";
import { connect } from "./raw.ts";

describe("closing a peer", () => {
  it("rejects every pending call with its method and the reason, and aborts every handler", async () => {
    const aborted: unknown[] = [];
    const { peer, send, settled, written } = connect({
      handlers: {
        request: (_, __, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              aborted.push(signal.reason);
              resolve("too late");
            }),
          ),
      },
    });
    const calls = ["a", "b"].map((method) => peer.call(method).catch((error: unknown) => error));
    send(request(1, "m"), request(2, "m"));
    await settled();
    const reason = await peer.close();
    expect(reason).toEqual({ kind: "closed" });
    const errors = await Promise.all(calls);
    expect(errors).toMatchObject([
      {
        name: "ConnectionError",
        method: "a",
        reason,
        message: "a: the connection was closed by this side",
      },
      { name: "ConnectionError", method: "b", reason },
    ]);
    expect(errors[0]).toBeInstanceOf(ConnectionError);
    expect(aborted).toEqual([expect.any(ConnectionError), expect.any(ConnectionError)]);
    await settled();
    expect(written).toHaveLength(2);
  });

  it("from the other side also rejects pending calls", async () => {
    const { peer, far } = connect();
    const call = peer.call("m");
    await far.close();
    await expect(call).rejects.toMatchObject({
      name: "ConnectionError",
      reason: { kind: "ended" },
    });
    expect(await peer.closed).toEqual({ kind: "ended" });
  });

  it("rejects later calls and notifications", async () => {
    const { peer } = connect();
    const [one, two] = await Promise.all([peer.close(), peer.close()]);
    expect(one).toBe(two);
    await expect(peer.call("m")).rejects.toBeInstanceOf(ConnectionError);
    await expect(peer.notify("m")).rejects.toBeInstanceOf(ConnectionError);
    void peer.notify("m");
    await new Promise(setImmediate);
  });

  it("inside a notification handler rejects the pending call", async () => {
    const near = connect({ handlers: { notification: () => void near.peer.close() } });
    const call = near.peer.call("m");
    near.send({ method: "bye" }, result(1, "too late"));
    await expect(call).rejects.toBeInstanceOf(ConnectionError);
  });
});

describe("a peer process", () => {
  it("that exits before it answers rejects the call with its exit code and stderr", async () => {
    const script = "read -r line; echo 'not signed in' >&2; exit 41";
    const peer = new Peer(await openProcess({ command: "sh", args: ["-c", script] }));
    const error: unknown = await peer.call("initialize").catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      name: "ConnectionError",
      method: "initialize",
      reason: { kind: "exited", exit: { code: 41, signal: null }, stderr: "not signed in\n" },
      message: "initialize: the process exited with code 41; last lines of stderr:\nnot signed in",
    });
  });

  it("that exits before it is called rejects calls and notifications", async () => {
    const peer = new Peer(await openProcess({ command: "sh", args: ["-c", "exit 42"] }));
    const big = "x".repeat(300_000);
    const outcomes = await Promise.allSettled([
      peer.call("a", big),
      peer.notify("b", big),
      peer.call("c", big),
    ]);
    for (const outcome of [outcomes[0], outcomes[2]]) {
      expect(outcome).toMatchObject({
        reason: { name: "ConnectionError", reason: { kind: "exited", exit: { code: 42 } } },
      });
    }
    await peer.closed;
    await expect(peer.notify("d")).rejects.toMatchObject({ reason: { kind: "exited" } });
  });

  it("that closed its stdin rejects notifications with a ConnectionError, not a ChannelClosedError", async () => {
    const channel = await openProcess({
      command: "sh",
      args: ["-c", 'exec <&-; echo \'{"method":"ready"}\'; while :; do sleep 1; done'],
      stages: { eofMs: 50, termMs: 50 },
    });
    const ready = new Promise<void>((resolve) => {
      const peer = new Peer(channel, {
        handlers: {
          notification: () => {
            const waitForBreak = async (): Promise<void> => {
              for (;;) await peer.notify("ping");
            };
            waitForBreak().catch((error: unknown) => {
              expect(error).toBeInstanceOf(ConnectionError);
              expect(error).not.toBeInstanceOf(ChannelClosedError);
              resolve();
            });
          },
        },
      });
    });
    await ready;
    await channel.close();
  });
});

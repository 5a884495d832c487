import { describe, expect, it } from "vitest";
import { notification } from "../../support/messages.ts";
import { connect } from "./raw.ts";

describe("a rewriter", () => {
  it("can drop, change and multiply messages in both directions", async () => {
    const seen: unknown[] = [];
    const { peer, send, written, settled } = connect({
      handlers: { notification: (method) => seen.push(method) },
      rewriter: {
        read: (message) =>
          message["method"] === "drop"
            ? undefined
            : message["method"] === "twice"
              ? [{ method: "one" }, { method: "two" }]
              : { ...message, method: "changed" },
        write: (message) =>
          message["method"] === "drop" ? undefined : [message, { ...message, method: "copy" }],
      },
    });
    send(notification("drop"), notification("twice"), notification("x"));
    await peer.notify("drop");
    await peer.notify("sent");
    await settled();
    expect(seen).toEqual(["one", "two", "changed"]);
    expect(written.map((frame) => frame["method"])).toEqual(["sent", "copy"]);
  });
});

describe("holding a peer", () => {
  it("lasts until every hold is released, and each release counts once", async () => {
    const seen: unknown[] = [];
    const { peer, send, settled } = connect({
      handlers: { notification: (_, params) => seen.push(params) },
    });
    const first = peer.hold();
    const second = peer.hold();
    send(notification("n", 1));
    await settled();
    first();
    first();
    await settled();
    expect(seen).toEqual([]);
    second();
    await settled();
    expect(seen).toEqual([1]);
    await peer.close();
    peer.hold()();
  });
});

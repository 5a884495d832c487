import { describe, expect, it, vi } from "vitest";
import { Flow } from "../../src/client/connection/flow.ts";

function flow() {
  const released = vi.fn<() => void>();
  let held = 0;
  const it = new Flow(() => {
    held++;
    return () => held--;
  }, released);
  return { flow: it, released, held: () => held };
}

describe("the flow", () => {
  it("is held while a session is behind and nobody waits", () => {
    const { flow: it, held, released } = flow();
    it.move("quiet", "waiting");
    it.move("waiting", "waiting");
    expect([it.held, held()]).toEqual([false, 0]);
    it.move("waiting", "behind");
    expect([it.held, held()]).toEqual([true, 1]);
    it.move("behind", "waiting");
    expect([it.held, held()]).toEqual([false, 0]);
    expect(released).toHaveBeenCalledTimes(1);
  });

  it("goes on for a call, and is held again after it", () => {
    const { flow: it, held } = flow();
    it.move("quiet", "behind");
    expect(held()).toBe(1);
    it.enter();
    it.enter();
    it.leave();
    expect(held()).toBe(0);
    it.leave();
    expect(held()).toBe(1);
  });

  it("goes on while another session waits", () => {
    const { flow: it, held } = flow();
    it.move("quiet", "behind");
    it.move("quiet", "waiting");
    expect(held()).toBe(0);
    it.move("waiting", "behind");
    expect(held()).toBe(1);
    it.move("behind", "quiet");
    expect(held()).toBe(1);
    it.move("behind", "quiet");
    expect(held()).toBe(0);
  });
});

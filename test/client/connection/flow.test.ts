import { describe, expect, it, vi } from "vitest";
import { Flow } from "../../../src/client/connection/flow.ts";

function createFlow() {
  const released = vi.fn<() => void>();
  let held = 0;
  const flow = new Flow(() => {
    held++;
    return () => held--;
  }, released);
  return { flow, released, held: () => held };
}

describe("the flow", () => {
  it("is held while a session is behind and nothing waits", () => {
    const { flow, held, released } = createFlow();
    flow.move("quiet", "waiting");
    flow.move("waiting", "waiting");
    expect([flow.held, held()]).toEqual([false, 0]);
    flow.move("waiting", "behind");
    expect([flow.held, held()]).toEqual([true, 1]);
    flow.move("behind", "waiting");
    expect([flow.held, held()]).toEqual([false, 0]);
    expect(released).toHaveBeenCalledTimes(1);
  });

  it("resumes for a call and is held again after it", () => {
    const { flow, held } = createFlow();
    flow.move("quiet", "behind");
    expect(held()).toBe(1);
    flow.enter();
    flow.enter();
    flow.leave();
    expect(held()).toBe(0);
    flow.leave();
    expect(held()).toBe(1);
  });

  it("resumes while another session waits", () => {
    const { flow, held } = createFlow();
    flow.move("quiet", "behind");
    flow.move("quiet", "waiting");
    expect(held()).toBe(0);
    flow.move("waiting", "behind");
    expect(held()).toBe(1);
    flow.move("behind", "quiet");
    expect(held()).toBe(1);
    flow.move("behind", "quiet");
    expect(held()).toBe(0);
  });
});

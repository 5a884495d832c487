import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function load(): Promise<(call: () => void) => void> {
  return (await import("../../../src/base/timing/immediate.browser.ts")).immediately;
}

describe.each([
  ["message channels", () => {}],
  ["timers only", () => void vi.stubGlobal("MessageChannel", undefined)],
])("immediately, where there are %s", (_case, prepare) => {
  it("makes the calls in order, and never in the same task", async () => {
    prepare();
    const immediately = await load();
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      immediately(() => seen.push("first"));
      immediately(() => {
        seen.push("second");
        immediately(resolve);
      });
      void Promise.resolve().then(() => seen.push("microtask"));
      seen.push("now");
    });
    expect(seen).toEqual(["now", "microtask", "first", "second"]);
  });
});

import { describe, expect, it } from "vitest";
import { methodNumbers } from "../../../../src/apps/inspector/numbers/methods.ts";
import { Script } from "../sessions.ts";

describe("the figures of methods", () => {
  it("count requests, errors and open ones, with percentiles that name their frames", () => {
    const script = new Script();
    for (let id = 1; id <= 100; id++)
      script
        .out({ id, method: "m" })
        .wait(id)
        .in(id === 5 ? { id, error: {} } : { id, result: {} });
    script.out({ id: 101, method: "m" }).in({ method: "n" });
    expect(methodNumbers(script.model)).toEqual([
      {
        method: "m",
        direction: "out",
        isRequest: true,
        count: 101,
        open: 1,
        errors: 1,
        p50: { ms: 50, row: 98 },
        p90: { ms: 90, row: 178 },
        p99: { ms: 99, row: 196 },
        max: { ms: 100, row: 198 },
      },
      expect.objectContaining({ method: "n", isRequest: false, count: 1, open: 0, max: undefined }),
    ]);
  });

  it("take the time of people out of a prompt", () => {
    const script = new Script().open().prompt(2).wait(10).ask(5, "t").wait(5000).choose(5, "no");
    const prompt = methodNumbers(script.wait(20).done(2).model).find(
      ({ method }) => method === "session/prompt",
    );
    expect(prompt?.max).toEqual({ ms: 30, row: 4 });
  });
});

import { describe, expect, it } from "vitest";
import { connect, cwd, deferred, FakeAgent } from "../fake-agent.ts";

describe("a call to the agent", () => {
  it("is cancelled when its time limit expires, and the error names it", async () => {
    const aborted = deferred();
    const agent = new FakeAgent({
      "session/new": (_, { signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        return new Promise(() => {});
      },
    });
    const client = await connect(agent, { timeouts: { request: 20 } });
    await expect(client.newSession({ cwd })).rejects.toMatchObject({
      name: "TimeoutError",
      limit: "request",
      message: "session/new: the agent did not answer within 20 ms",
    });
    await aborted.promise;
  });

  it("can be aborted by the caller", async () => {
    const agent = new FakeAgent({ "session/new": () => new Promise(() => {}) });
    const client = await connect(agent);
    const controller = new AbortController();
    const call = client.newSession({ cwd, signal: controller.signal });
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: "CallCancelledError" });
    await expect(client.newSession({ cwd, signal: controller.signal })).rejects.toMatchObject({
      name: "CallCancelledError",
    });
  });
});

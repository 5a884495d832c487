/** The parts of the demo agent that only `--unstable` adds. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { demoAgent } from "../../../src/apps/demo-agent/agent.ts";
import { errorOf, leave, serve } from "../../agent/harness.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let cwd = "";
useTempFolder((path) => (cwd = path));

const stateFolder = (): string => join(cwd, "state");

function open(options: { unstable?: boolean; requireAuth?: boolean } = {}) {
  const { unstable = true, requireAuth = false } = options;
  const demo = { version: "1", unstable, requireAuth, exit: () => {} };
  return serve(demoAgent({ ...demo, stateFolder: stateFolder() }), {
    version: unstable ? "unstable" : "stable",
    capabilities: { plan: {}, subagents: {} },
    answers: {
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    },
  });
}

describe("the demo agent with --unstable", () => {
  it("keeps archived sessions and titles on disk", async () => {
    const first = await open();
    const { client } = first;
    const sessionId = await client.newSession({ cwd });
    await client.prompt(sessionId, "/think well");
    await client.call("session/set_title", { sessionId, title: "Mine" });
    await client.call("session/archive", { sessionId });
    await leave(first);

    const next = await open();
    expect(await next.client.call("session/list", { cwd })).toEqual({ sessions: [] });
    const { sessions } = await next.client.call("session/list", { cwd, archived: "include" });
    expect(sessions).toMatchObject([{ sessionId, title: "Mine", archived: true }]);
    expect(await next.client.call("session/status", { sessionId })).toEqual({ status: "saved" });
    await next.client.call("session/unarchive", { sessionId });
    const missing = next.client.call("session/archive", { sessionId: "missing" });
    expect(await errorOf(missing)).toMatchObject({ code: -32002 });
    await leave(next);

    // Without the switch, the session is one of the others, and nothing says that it was archived.
    const stable = await open({ unstable: false });
    const listed = await stable.client.call("session/list", { cwd });
    expect(listed["sessions"]).toMatchObject([{ sessionId, title: "Mine" }]);
    await leave(stable);
  });

  it("replays plans and subagents only to clients that know them", async () => {
    const first = await open();
    const { client } = first;
    const sessionId = await client.newSession({ cwd });
    await client.prompt(sessionId, "/plans");
    await client.prompt(sessionId, "/subagent");
    expect(client.text()).toContain("has not counted");
    await leave(first);
    const load = { sessionId, cwd, mcpServers: [] };

    const next = await open();
    await next.client.call("session/load", load);
    expect(next.client.ofKind("plan_update")).toHaveLength(3);
    expect(next.client.ofKind("subagent_update").length).toBeGreaterThan(0);
    await leave(next);

    const stable = await open({ unstable: false });
    await stable.client.call("session/load", load);
    expect(stable.client.ofKind("plan_update")).toEqual([]);
    expect(stable.client.text()).toContain("two plans");
    await leave(stable);
  });

  it("reports sign-ins and sign-outs", async () => {
    const first = await open({ requireAuth: true });
    const { client } = first;
    expect(await client.call("auth/status")).toEqual({ state: "unauthenticated" });
    await client.call("authenticate", { methodId: "demo" });
    await client.waitFor("auth/status_update");
    expect(await client.call("auth/status")).toMatchObject({ state: "authenticated" });
    await client.call("logout");
    expect(await client.call("auth/status")).toEqual({ state: "unauthenticated" });
    await leave(first);
  });

  it("needs no sign-in unless it was started with one", async () => {
    const { client } = await open();
    expect(await client.call("auth/status")).toEqual({ state: "not_required" });
  });
});

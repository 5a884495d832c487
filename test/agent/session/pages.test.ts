import { describe, expect, it } from "vitest";
import { pageOf } from "../../../src/entries/agent.ts";
import { promptAgent } from "../definitions.ts";
import { errorOf, serve } from "../harness.ts";

describe("a list of sessions", () => {
  const sessions = Array.from({ length: 120 }, (_, i) => ({ sessionId: `s${i}`, cwd: "/x" }));

  it("is split into pages", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, {
        listSessions: ({ cursor }) => pageOf(sessions, cursor),
      }),
    );
    const listed: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await client.call("session/list", cursor === undefined ? {} : { cursor });
      expect(Array.isArray(page["sessions"])).toBe(true);
      listed.push(...(page["sessions"] as unknown[]));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    expect(listed).toEqual(sessions);
    expect(await errorOf(client.call("session/list", { cursor: "mine" }))).toMatchObject({
      code: -32602,
      data: { errors: [{ path: "cursor" }] },
    });
  });

  it("is empty rather than absent if there are no sessions", async () => {
    const { client } = await serve(
      promptAgent(async () => {}, { listSessions: ({ cursor }) => pageOf([], cursor) }),
    );
    expect(await client.call("session/list")).toEqual({ sessions: [] });
  });
});

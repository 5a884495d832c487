import { describe, expect, it } from "vitest";
import { pageAfter, sessionInfos } from "../../../../src/apps/droid-acp/session/listing.ts";
import { strictFaults } from "../../../support/schema.ts";

describe("the list of sessions", () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const summary = (sessionId: string, seconds: number, title?: string) => ({
    sessionId,
    cwd: "/w",
    title,
    updatedAt: at(seconds),
    parentId: undefined,
    path: "",
  });
  it("has one entry for a compacted session, under its first id", () => {
    const infos = sessionInfos(
      [summary("c", 9, "New Session"), summary("x", 8, "X"), summary("b", 7), summary("a", 6, "A")],
      new Map([["a", ["a", "b", "c"]]]),
    );
    expect(infos).toEqual([
      { sessionId: "a", cwd: "/w", updatedAt: at(9).toISOString(), title: "A" },
      { sessionId: "x", cwd: "/w", updatedAt: at(8).toISOString(), title: "X" },
    ]);
    for (const info of infos) expect(strictFaults("SessionInfo", info)).toEqual([]);
  });
  it("leaves out sessions without a working directory", () => {
    expect(sessionInfos([{ ...summary("a", 1), cwd: undefined }], new Map())).toEqual([]);
  });
  it("comes in pages that neither repeat nor skip a session when sessions are added or deleted", () => {
    const all = sessionInfos(
      Array.from({ length: 7 }, (_, i) => summary(`s${i}`, 100 - Math.floor(i / 2))),
      new Map(),
    );
    const first = pageAfter(all, undefined, 3);
    const later = [
      ...sessionInfos([summary("new", 200)], new Map()),
      ...all.filter(({ sessionId }) => sessionId !== "s1"),
    ];
    const second = pageAfter(later, first.nextCursor, 3);
    const third = pageAfter(later, second.nextCursor, 3);
    const ids = [first, second, third].flatMap(({ sessions }) =>
      sessions.map(({ sessionId }) => sessionId),
    );
    expect(ids).toEqual(["s0", "s1", "s2", "s3", "s4", "s5", "s6"]);
    expect(third.nextCursor).toBeUndefined();
    expect(() => pageAfter(all, "bogus")).toThrow("Invalid params");
  });
});

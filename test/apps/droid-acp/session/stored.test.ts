import { describe, expect, it } from "vitest";
import {
  pageAfter,
  sessionInfos,
  SessionIds,
} from "../../../../src/apps/droid-acp/session/stored.ts";
import { strictFaults } from "../../../support/schema.ts";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { useTempFolder } from "../../../support/temp-folder.ts";
import { adapterStateFolder } from "../../../../src/apps/droid-acp/deps.ts";

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

describe("session ids", () => {
  let folder = "";
  useTempFolder((path) => (folder = path), "test");
  it("are stored in one small file per compacted session", async () => {
    const ids = new SessionIds(folder);
    expect(await ids.chainOf("a")).toEqual(["a"]);
    expect(await ids.all()).toEqual(new Map());
    await Promise.all([ids.append("a", "b"), ids.append("x", "y")]);
    await ids.append("a", "c");
    await ids.append("a", "c");
    const again = new SessionIds(folder);
    expect(await again.chainOf("a")).toEqual(["a", "b", "c"]);
    await writeFile(join(folder, "sessions", "broken.json"), "{");
    expect(await again.chainOf("broken")).toEqual(["broken"]);
    expect([...(await again.all()).keys()].toSorted()).toEqual(["a", "x"]);
    await again.append("../evil", "z");
    expect(await again.chainOf("../evil")).toEqual(["../evil"]);
    await again.remove("a");
    await again.remove("../evil");
    expect(await again.chainOf("a")).toEqual(["a"]);
    expect((await readdir(join(folder, "sessions"))).toSorted()).toEqual(["broken.json", "x.json"]);
  });
  it.skipIf(process.platform === "win32")("can be read by the user only", async () => {
    const sessions = join(folder, "sessions");
    await mkdir(sessions);
    await chmod(sessions, 0o755);
    await writeFile(join(sessions, "a.json"), '{"droidSessions":["a","b"]}');
    await chmod(join(sessions, "a.json"), 0o644);
    const ids = new SessionIds(folder);
    await ids.append("a", "c");
    await ids.append("x", "y");
    for (const [name, mode] of [
      ["", 0o700],
      ["a.json", 0o600],
      ["x.json", 0o600],
    ] as const)
      expect((await stat(join(sessions, name))).mode & 0o777).toBe(mode);
  });
  it.each([
    [{ env: { XDG_STATE_HOME: "/s" }, platform: "linux" }, "/s/dragoman/droid-acp"],
    [{ env: { XDG_STATE_HOME: "rel" }, platform: "linux" }, "/h/.local/state/dragoman/droid-acp"],
    [{ env: {}, platform: "darwin" }, "/h/Library/Application Support/dragoman/droid-acp"],
  ] as const)("are stored in the state folder of the user: %j", (paths, folder) => {
    expect(adapterStateFolder({ ...paths, home: "/h" })).toBe(folder);
  });
});

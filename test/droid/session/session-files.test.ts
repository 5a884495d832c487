import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DroidClient, DroidError } from "../../../src/entries/droid.ts";
import { belongsTo, readSessionStart } from "../../../src/droid/session/session-files.ts";
import { useTempFolder } from "../../support/temp-folder.ts";

let home = "";
useTempFolder((path) => (home = path), "test");

async function session(
  folder: string,
  id: string,
  start: object,
  at: number,
  ...more: readonly string[]
): Promise<string> {
  const path = join(home, ".factory", "sessions", folder, `${id}.jsonl`);
  await mkdir(join(path, ".."), { recursive: true });
  const line = JSON.stringify({ type: "session_start", id, ...start });
  await writeFile(path, [line, ...more, ""].join("\n"));
  await utimes(path, at, at);
  return path;
}

describe("the list of sessions", () => {
  it("is sorted newest first, with titles and folders from the first line of each file", async () => {
    // Two working folders share one folder name here. Only the file shows which one it is.
    await session("-a-b", "s1", { title: "older", cwd: "/a/b" }, 1000, "{}");
    await session("-a-b", "s2", { title: "newer", cwd: "/a-b", parent: "s1" }, 2000);
    const list = await DroidClient.list({ home });
    expect(
      list.map(({ sessionId, title, cwd, parentId }) => [sessionId, title, cwd, parentId]),
    ).toEqual([
      ["s2", "newer", "/a-b", "s1"],
      ["s1", "older", "/a/b", undefined],
    ]);
    expect(list[0]?.updatedAt).toEqual(new Date(2_000_000));
    expect(await DroidClient.list({ home, cwd: "/a/b" })).toHaveLength(1);
  });
  it("is empty if there are no sessions", async () => {
    expect(await DroidClient.list({ home })).toEqual([]);
  });
  it("skips files that are not sessions, and reads first lines of any length", async () => {
    const long = "é".repeat(60_000);
    await session("-a", "long", { title: long, cwd: "/a" }, 1000);
    const folder = join(home, ".factory", "sessions", "-a");
    await writeFile(join(folder, "empty.jsonl"), "");
    await writeFile(join(folder, "broken.jsonl"), "{not json\n");
    await writeFile(join(folder, "other.jsonl"), '{"type":"message"}\n');
    await writeFile(join(folder, "x.settings.json"), "{}");
    await writeFile(join(home, ".factory", "sessions", "stray.jsonl"), "{}\n");
    const list = await DroidClient.list({ home });
    expect(list.map(({ sessionId, title }) => [sessionId, title])).toEqual([["long", long]]);
  });
});

describe("a session's title", () => {
  it.each([
    [{ title: "first message" }, "first message"],
    [{ title: "hello", sessionTitle: "New Session" }, "hello"],
    [{ title: "hello", sessionTitle: "Given", isSessionTitleManuallySet: true }, "Given"],
    [{ title: "hello", sessionTitle: "Made up" }, "Made up"],
    [{}, undefined],
  ])("for the fields %j is %j", (fields, title) => {
    const line = JSON.stringify({ type: "session_start", id: "s", ...fields });
    expect(readSessionStart(line)?.title).toBe(title);
  });
});

describe("deleting a session", () => {
  it("deletes its transcript, settings, backups and attachments, and nothing else", async () => {
    await session("-a", "s1", { cwd: "/a" }, 1);
    await session("-a", "s1-other", { cwd: "/a" }, 1);
    const root = join(home, ".factory", "sessions");
    for (const name of ["s1.settings.json", "s1.settings.json.bak", "s1-other.settings.json"])
      await writeFile(join(root, "-a", name), "{}");
    await mkdir(join(root, "s1", "attachments"), { recursive: true });
    await writeFile(join(root, "s1", "attachments", "a.pdf"), "x");
    const deleted = await DroidClient.delete("s1", { home });
    expect(deleted).toHaveLength(4);
    expect((await readdir(root)).toSorted()).toEqual(["-a"]);
    expect((await readdir(join(root, "-a"))).toSorted()).toEqual([
      "s1-other.jsonl",
      "s1-other.settings.json",
    ]);
  });
  it.each(["unknown", "..", "../x", "a/b", "", "."])("fails for the id %j", async (id) => {
    await session("-a", "s1", { cwd: "/a" }, 1);
    await expect(DroidClient.delete(id, { home })).rejects.toMatchObject({
      code: "session_not_found",
    });
    expect(await DroidClient.list({ home })).toHaveLength(1);
  });
  it("fails with the reason if a file cannot be deleted", async () => {
    const path = await session("-a", "s1", { cwd: "/a" }, 1);
    await mkdir(path.replace(".jsonl", ".settings.json"));
    const failure: unknown = await DroidClient.delete("s1", { home }).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(DroidError);
    expect(failure).toMatchObject({ code: "remote_error", cause: { code: "ERR_FS_EISDIR" } });
    expect(String(failure)).toContain("could not delete the session s1: ");
  });
  it.each([
    ["s1.jsonl", true],
    ["s1.jsonl.bak", true],
    ["s1.settings.json", true],
    ["s1.settings.json.bak", true],
    ["s1-other.jsonl", false],
    ["s1.jsonl.bak.txt", false],
    ["as1.jsonl", false],
  ])("decides whether %s belongs to the session: %s", (name, own) => {
    expect(belongsTo(name, "s1")).toBe(own);
  });
});

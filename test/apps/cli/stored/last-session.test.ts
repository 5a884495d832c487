import { execFileSync } from "node:child_process";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SessionStore } from "../../../../src/apps/cli/stored/sessions.ts";
import { foldersForEach } from "../commands/setup.ts";
import { fakeIo } from "../support/io.ts";

const folders = foldersForEach();

describe("the last session", () => {
  it("is remembered per agent and folder", async () => {
    const store = new SessionStore(fakeIo(folders));
    await store.remember("a", "/x", { sessionId: "1", at: "t" });
    await store.remember("a", "/y", { sessionId: "2", at: "t" });
    await store.remember("a", "/x", { sessionId: "3", at: "u" });
    expect(await store.last("a", "/x")).toEqual({ sessionId: "3", at: "u" });
    expect(await store.last("a", "/y")).toEqual({ sessionId: "2", at: "t" });
    expect(await store.last("b", "/x")).toBeUndefined();
  });

  it("leaves no partial files, even with many concurrent writes", async () => {
    const store = new SessionStore(fakeIo(folders));
    const writes = Array.from({ length: 50 }, (_, n) =>
      store.remember("a", "/x", { sessionId: String(n), at: "t" }),
    );
    await Promise.all(writes);
    expect(await store.last("a", "/x")).toMatchObject({ at: "t" });
    expect(await readdir(join(folders.home, ".local/state/dragoman/last-session"))).toHaveLength(1);
  });

  it("is undefined if its file is invalid", async () => {
    const store = new SessionStore(fakeIo(folders));
    await store.remember("a", "/x", { sessionId: "1", at: "t" });
    const folder = join(folders.home, ".local/state/dragoman/last-session");
    const [file] = await readdir(folder);
    for (const text of ["", "[]", '{"sessionId":1}']) {
      await writeFile(join(folder, String(file)), text);
      expect(await store.last("a", "/x")).toBeUndefined();
    }
    await rm(join(folder, String(file)));
    execFileSync("mkfifo", [join(folder, String(file))]);
    expect(await store.last("a", "/x")).toBeUndefined();
  });
});

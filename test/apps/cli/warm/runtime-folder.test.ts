import { chmod, chown, lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { foldersForEach } from "../commands/setup.ts";
import {
  NoRuntimeFolderError,
  runtimeFolder,
  runtimeFolders,
} from "../../../../src/apps/cli/warm/hub-folders.ts";

const folders = foldersForEach();
let base: string;
let temp: string;
beforeEach(async () => {
  base = join(folders.home, "run");
  temp = join(folders.home, "tmp");
  await Promise.all([mkdir(base), mkdir(temp)]);
});

const uid = process.getuid?.() ?? 0;
const user = (env: Record<string, string>) => ({
  env,
  home: folders.home,
  platform: "linux" as const,
});
const both = () => user({ XDG_RUNTIME_DIR: base, TMPDIR: temp });

describe("the runtime folder", () => {
  it("is a new folder in XDG_RUNTIME_DIR that only the user can enter", async () => {
    const path = await runtimeFolder(both());
    expect(path).toBe(join(base, "dragoman"));
    expect((await lstat(path)).mode & 0o777).toBe(0o700);
    expect(await runtimeFolder(both())).toBe(path);
  });

  it("is named after the user in the folder for temporary files without XDG_RUNTIME_DIR", async () => {
    expect(await runtimeFolder(user({ TMPDIR: temp }))).toBe(join(temp, `dragoman-${uid}`));
    const relative = user({ XDG_RUNTIME_DIR: "run", TMPDIR: temp });
    expect(await runtimeFolder(relative)).toBe(join(temp, `dragoman-${uid}`));
  });

  it("is the second one if the first cannot be created, or its path is too long for a socket", async () => {
    const own = join(temp, `dragoman-${uid}`);
    const gone = user({ XDG_RUNTIME_DIR: join(base, "gone"), TMPDIR: temp });
    expect(await runtimeFolder(gone)).toBe(own);
    const long = join(base, "x".repeat(90));
    await mkdir(long);
    expect(await runtimeFolder(user({ XDG_RUNTIME_DIR: long, TMPDIR: temp }))).toBe(own);
  });

  it("does not exist if neither can be created, as in a read-only container", async () => {
    const none = user({ XDG_RUNTIME_DIR: "/proc", TMPDIR: "/proc" });
    await expect(runtimeFolder(none)).rejects.toThrow(NoRuntimeFolderError);
    expect(await runtimeFolders(none)).toEqual([]);
  });

  it.each([0o750, 0o705, 0o777])("is refused with mode %o", async (mode) => {
    await mkdir(join(base, "dragoman"));
    await chmod(join(base, "dragoman"), mode);
    await expect(runtimeFolder(both())).rejects.toThrow(/can be used by others/);
    await expect(runtimeFolders(both())).rejects.toThrow(NoRuntimeFolderError);
  });

  it.skipIf(uid !== 0)("is refused if it belongs to another user", async () => {
    await mkdir(join(base, "dragoman"), { mode: 0o700 });
    await chown(join(base, "dragoman"), 65_534, 65_534);
    await expect(runtimeFolder(both())).rejects.toThrow(/belongs to another user/);
  });

  it("is refused if it is a link or a file", async () => {
    await symlink(temp, join(base, "dragoman"));
    await expect(runtimeFolder(both())).rejects.toThrow(/is not a folder/);
    await writeFile(join(temp, `dragoman-${uid}`), "");
    await expect(runtimeFolder(user({ TMPDIR: temp }))).rejects.toThrow(/is not a folder/);
  });

  it("is found but not created for commands that only look", async () => {
    expect(await runtimeFolders(both())).toEqual([]);
    const path = await runtimeFolder(both());
    expect(await runtimeFolders(both())).toEqual([path]);
  });
});

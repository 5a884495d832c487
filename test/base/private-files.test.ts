import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openPrivate, writeAtomically, writePrivate } from "../../src/base/user-files.ts";

const folders: string[] = [];
let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "private-files-"));
  folders.push(folder);
  file = join(folder, "file");
});
afterAll(() => Promise.all(folders.map((one) => rm(one, { recursive: true }))));

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const contentOf = (path: string): Promise<string> => readFile(path, "utf8");

describe.skipIf(process.platform === "win32")("a private file", () => {
  it.each(["replace", "append"] as const)("is created for the user only: %s", async (how) => {
    await (await openPrivate(file, how)).close();
    expect(await modeOf(file)).toBe(0o600);
  });

  it.each([
    ["replace", "new"],
    ["append", "oldnew"],
  ] as const)("that exists loses the rights of others: %s", async (how, content) => {
    await writeFile(file, "old");
    await chmod(file, 0o666);
    const handle = await openPrivate(file, how);
    expect(await modeOf(file)).toBe(0o600);
    await handle.appendFile("new");
    await handle.close();
    expect(await contentOf(file)).toBe(content);
  });

  it("keeps a mode that is stricter", async () => {
    await writeFile(file, "old");
    await chmod(file, 0o200);
    await writePrivate(file, "new");
    expect(await modeOf(file)).toBe(0o200);
  });

  it("is written as a whole", async () => {
    await writeFile(file, "much longer than the new one");
    await writePrivate(file, "short");
    expect(await contentOf(file)).toBe("short");
  });

  it("is not a link, whose target would be changed", async () => {
    const target = join(folder, "target");
    await writeFile(target, "precious", { mode: 0o644 });
    await symlink(target, file);
    await expect(openPrivate(file, "replace")).rejects.toThrow(
      "is a link; name the file that it leads to",
    );
    await expect(openPrivate(file, "append")).rejects.toThrow("is a link");
    expect(await contentOf(target)).toBe("precious");
    expect(await modeOf(target)).toBe(0o644);
    await rm(target);
    await expect(openPrivate(file, "append")).rejects.toThrow("is a link");
    await expect(stat(target)).rejects.toThrow("ENOENT");
  });

  it("is not a folder", async () => {
    await expect(openPrivate(folder, "append")).rejects.toThrow("is not a regular file");
  });

  it("is not a pipe, which would wait for a reader", async () => {
    execFileSync("mkfifo", [file]);
    await expect(openPrivate(file, "append")).rejects.toThrow(`${file} is a pipe, not a file`);
  });

  it("may be a device, which keeps its mode", async () => {
    const before = await modeOf("/dev/null");
    await writePrivate("/dev/null", "text");
    expect(await modeOf("/dev/null")).toBe(before);
  });

  it("may be an open file, which keeps its mode and its content, as after `3>>file`", async () => {
    await writeFile(file, "old", { mode: 0o644 });
    const fd = openSync(file, "a");
    await writePrivate(`/dev/fd/${fd}`, "new");
    closeSync(fd);
    expect([await contentOf(file), await modeOf(file)]).toEqual(["oldnew", 0o644]);
  });

  it("may be an open pipe, but only while a program reads it", async () => {
    execFileSync("mkfifo", [file]);
    const reader = spawn("cat", [file], { stdio: ["ignore", "pipe", "inherit"] });
    const fd = openSync(file, "a");
    await writePrivate(`/dev/fd/${fd}`, "piped");
    expect(String(await once(reader.stdout, "data"))).toBe("piped");
    reader.kill("SIGTERM");
    await once(reader, "exit");
    await expect(writePrivate(`/dev/fd/${fd}`, "lost")).rejects.toThrow(
      `/dev/fd/${fd} is a pipe that no program reads`,
    );
    closeSync(fd);
  });
});

describe.skipIf(process.platform === "win32")("a file that is written atomically", () => {
  it("is for the user only, in a new folder for the user only", async () => {
    const path = join(folder, "state", "file");
    await writeAtomically(path, "text");
    expect([await modeOf(path), await modeOf(join(folder, "state"))]).toEqual([0o600, 0o700]);
    expect(await readdir(join(folder, "state"))).toEqual(["file"]);
  });

  it("loses the rights of others if it exists", async () => {
    await writeFile(file, "old", { mode: 0o644 });
    await writeAtomically(file, "new");
    expect([await modeOf(file), await contentOf(file)]).toEqual([0o600, "new"]);
  });

  it("replaces a link and leaves the file that it leads to alone", async () => {
    const target = join(folder, "target");
    const other = join(folder, "other");
    await writeFile(target, "precious", { mode: 0o644 });
    await symlink(target, file);
    await link(target, other);
    await writeAtomically(file, "new");
    await writeAtomically(other, "new");
    await expect(readlink(file)).rejects.toThrow("EINVAL");
    expect([await contentOf(target), await modeOf(target)]).toEqual(["precious", 0o644]);
    expect([await contentOf(file), await contentOf(other)]).toEqual(["new", "new"]);
  });

  it("leaves nothing behind if it fails", async () => {
    await mkdir(file);
    await expect(writeAtomically(file, "new")).rejects.toThrow();
    expect(await readdir(folder)).toEqual(["file"]);
  });
});

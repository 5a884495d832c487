import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  MIB,
  readGivenFile,
  readRegularFile,
} from "../../../../src/apps/cli/shell/regular-file.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-regular-"));
  execFileSync("mkfifo", [join(folder, "pipe")]);
  await writeFile(join(folder, "file"), "text");
  for (const [name, target] of [
    ["to-file", "file"],
    ["to-pipe", "pipe"],
    ["to-tty", "/dev/tty"],
    ["to-zero", "/dev/zero"],
    ["to-null", "/dev/null"],
    ["to-itself", "to-itself"],
  ] as const)
    await symlink(target, join(folder, name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

describe("a regular file", () => {
  it.each(["file", "to-file"])("is read, even through a link (%s)", async (name) => {
    expect((await readRegularFile(at(name), 4)).toString()).toBe("text");
  });

  it("of any size is read completely", async () => {
    const text = "0123456789".repeat(50_000);
    await writeFile(at("long"), text);
    expect((await readRegularFile(at("long"), text.length)).toString()).toBe(text);
    await writeFile(at("empty"), "");
    expect(await readRegularFile(at("empty"), 0)).toHaveLength(0);
  });

  it("is not read if it is too large", async () => {
    await writeFile(at("large"), Buffer.alloc(MIB));
    expect(await readRegularFile(at("large"), MIB)).toHaveLength(MIB);
    await appendFile(at("large"), "x");
    await expect(readRegularFile(at("large"), MIB)).rejects.toThrow("it is larger than 1 MiB");
  });

  it.runIf(process.platform === "linux")("is measured by its bytes, not its size", async () => {
    // The size of files in /proc is 0, but they have content.
    await expect(readRegularFile("/proc/self/smaps", 1000)).rejects.toThrow("it is larger than");
    expect((await readRegularFile("/proc/self/stat", MIB)).length).toBeGreaterThan(0);
  });
});

describe.runIf(process.platform !== "win32")("a path that does not lead to a regular file", () => {
  it.each([
    ["pipe", "is a pipe, not a file"],
    ["to-pipe", "is a pipe, not a file"],
    [".", "is a folder, not a file"],
    ["to-null", "is a device, not a file"],
    ["to-zero", "is a device, not a file"],
    ["to-itself", "could not read"],
    ["gone", "gone: no such file"],
  ])("is refused without waiting (%s)", async (name, message) => {
    await expect(readGivenFile(at(name), name, { maxBytes: MIB })).rejects.toThrow(message);
  });

  it("is refused if it is the terminal", async () => {
    // Without a terminal, opening it already fails.
    await expect(readRegularFile(at("to-tty"), MIB)).rejects.toThrow("device");
  });

  it("is refused if it is a socket", async () => {
    const server = createServer().listen(at("socket"));
    await once(server, "listening");
    await expect(readRegularFile(at("socket"), MIB)).rejects.toThrow("it is a socket");
    server.close();
  });
});

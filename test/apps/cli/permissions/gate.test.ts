import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { run, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();
beforeAll(async () => {
  await writeFile(join(folders.cwd, "a.txt"), "one\ntwo\n");
  await writeFile(join(folders.home, "outside.txt"), "outside\n");
});
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
const outside = () => join(folders.home, "outside.txt");

describe("the client", () => {
  it("lets the agent read files of the workspace, and others only with --yolo", async () => {
    expect((await prompt("read", join(folders.cwd, "a.txt"))).out).toBe("one\ntwo\n");
    expect((await prompt("read", outside())).out).toContain("error");
    expect((await prompt("--yolo", "read", outside())).out).toBe("outside\n");
    expect((await prompt("--no-fs", "read", join(folders.cwd, "a.txt"))).out).toBe("error -32601");
  });
  it("lets the agent write files with --write, but never outside the workspace", async () => {
    const file = join(folders.cwd, "new.txt");
    expect((await prompt("write", file)).out).toContain("error");
    expect((await prompt("--write", "write", file)).out).toBe("written");
    expect(await readFile(file, "utf8")).toBe("written\n");
    expect((await prompt("--yolo", "write", outside())).out).toContain("error");
    expect(await readFile(outside(), "utf8")).toBe("outside\n");
  });
  it("runs commands with --exec, but not with --no-terminal", async () => {
    expect((await prompt("--exec", "terminal")).out).toBe("from the terminal\n");
    expect((await prompt("terminal")).out).toBe("error -32601");
    expect((await prompt("--exec", "--no-terminal", "terminal")).out).toBe("error -32601");
  });
  it("offers the agent only what could be allowed", async () => {
    const caps = async (...argv: string[]) =>
      JSON.parse((await prompt(...argv, "caps")).out) as object;
    expect(await caps()).toMatchObject({
      fs: { readTextFile: true, writeTextFile: false },
      terminal: false,
    });
    expect(await caps("--yolo")).toMatchObject({ fs: { writeTextFile: true }, terminal: true });
    expect(await caps("--no-fs")).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
    });
  });
});

import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCommand } from "../../../../src/apps/cli/agents/installed.ts";

let bin: string;
beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await writeFile(join(bin, "droid"), "#!/bin/sh\n");
  await chmod(join(bin, "droid"), 0o755);
  await writeFile(join(bin, "plain"), "");
  await mkdir(join(bin, "folder"));
});
afterAll(async () => {
  await rm(bin, { recursive: true, force: true });
});

describe("a command", () => {
  const find = (command: string, PATH = bin) =>
    findCommand(command, { env: { PATH }, platform: "linux", cwd: bin });
  it("is found on the PATH and by its path", async () => {
    expect(await find("droid")).toBe(join(bin, "droid"));
    expect(await find("./droid", "")).toBe(join(bin, "droid"));
    expect(await find(join(bin, "droid"), "")).toBe(join(bin, "droid"));
  });
  it.each(["gone", "plain", "folder", ""])(
    "is not found if it is missing, not executable or a folder: %j",
    async (name) => {
      expect(await find(name)).toBeUndefined();
    },
  );
  it("is found by its extension on Windows", async () => {
    await writeFile(join(bin, "tool.CMD"), "", { mode: 0o755 });
    const io = { env: { Path: bin, PATHEXT: ".EXE;.CMD" }, platform: "win32" as const, cwd: bin };
    expect(await findCommand("tool", io)).toBe(join(bin, "tool.CMD"));
  });
});

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isStartable } from "../../../src/base/process/spawn.ts";

const folder = mkdtempSync(join(tmpdir(), "startable-"));
afterAll(() => rmSync(folder, { recursive: true }));
const make = (name: string, content: string, mode = 0o755): void => {
  writeFileSync(join(folder, name), content);
  chmodSync(join(folder, name), mode);
};
make("script", "#!/bin/sh\n");
make("spaced", "#! /bin/sh -e\n");
make("orphan", "#!/nowhere/interpreter\n");
make("text", "echo no first line\n");
make("empty", "");
make("unmarked", "#!/bin/sh\n", 0o644);
mkdirSync(join(folder, "folder"));

describe.runIf(process.platform !== "win32")("a command", () => {
  it.each([
    { command: process.execPath, path: undefined, is: true },
    { command: "./script", path: undefined, is: true },
    { command: "./spaced", path: undefined, is: true },
    { command: "script", path: `/nowhere:${folder}`, is: true },
    { command: "script", path: "/nowhere::.", is: true },
    { command: "script", path: "/nowhere", is: false },
    { command: "script", path: undefined, is: false },
    { command: "./orphan", path: undefined, is: false },
    { command: "./text", path: undefined, is: false },
    { command: "./empty", path: undefined, is: false },
    { command: "./unmarked", path: folder, is: false },
    { command: "./folder", path: folder, is: false },
    { command: "./missing", path: folder, is: false },
  ])("$command on the path $path is startable: $is", async ({ command, path, is }) => {
    expect(await isStartable(command, folder, path)).toBe(is);
  });
});

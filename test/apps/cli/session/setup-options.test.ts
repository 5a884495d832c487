import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, scratch, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
  await mkdir(join(folders.home, "other"));
  await writeFile(join(folders.home, "other", "note.txt"), "from the other folder");
  await writeFile(join(folders.cwd, "rules.md"), "Answer in verse.\n");
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });

describe("--add-dir", () => {
  it("gives the session more folders, in which the agent may read", async () => {
    const other = join(folders.home, "other");
    const argv = [...withAgent("more-folders"), "--add-dir", "../home/other"];
    const { code, out } = await run([...argv, "servers"], where());
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ additionalDirectories: [other] });
    const read = `read ${join(other, "note.txt")}`;
    expect((await run([...argv, read], where())).out).toBe("from the other folder");
    expect((await run([...withAgent("more-folders"), read], where())).out).toMatch(/^error/);
  });
  it("applies to resumed sessions too", async () => {
    const argv = [...withAgent("more-folders"), "--resume", "kept", "--add-dir", "."];
    const { out } = await run([...argv, "servers"], where());
    expect(JSON.parse(out)).toMatchObject({ additionalDirectories: [folders.cwd] });
  });
  it.each([
    [
      [...withAgent(), "--add-dir", "."],
      "node does not support --add-dir: it does not advertise sessionCapabilities.additionalDirectories; try: without --add-dir",
    ],
    [[...withAgent(), "--resume", "kept", "--add-dir", "."], "node does not support --add-dir"],
    [[...withAgent("more-folders"), "--add-dir", "nowhere"], "--add-dir nowhere is not a folder"],
  ])("fails with a clear message (%#)", async (argv, message) => {
    const { code, last } = await run([...argv, "hello"], where());
    expect(code).toBe(2);
    expect(last).toContain(message);
  });
});

describe("--system-prompt", () => {
  const asked = async (...argv: string[]) => {
    const { out } = await run([...withAgent("system-prompt"), ...argv, "servers"], where());
    return JSON.parse(out) as { systemPrompt?: unknown };
  };
  it("adds its text, or that of a file, to the agent's instructions", async () => {
    expect((await asked("--system-prompt", "Be brief.")).systemPrompt).toEqual({
      mode: "append",
      content: [{ type: "text", text: "Be brief." }],
    });
    expect((await asked("--system-prompt", "@rules.md")).systemPrompt).toMatchObject({
      content: [{ text: "Answer in verse.\n" }],
    });
    expect((await asked()).systemPrompt).toBeUndefined();
  });
  it.each([
    [[...withAgent(), "--system-prompt", "x"], "node does not support --system-prompt"],
    [[...withAgent("system-prompt"), "--system-prompt", " "], "--system-prompt is empty"],
    [[...withAgent("system-prompt"), "--system-prompt", "@gone"], "gone: no such file"],
  ])("fails with a clear message (%#)", async (argv, message) => {
    const { code, last } = await run([...argv, "hello"], where());
    expect(code).toBe(2);
    expect(last).toContain(message);
  });
});

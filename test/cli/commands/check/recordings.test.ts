import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run, scratch, type Scratch } from "../../support/run.ts";

const captures = fileURLToPath(new URL("../../../transcripts/captures", import.meta.url));
const recordings = fileURLToPath(new URL("../../../../examples/recordings", import.meta.url));

let folders: Scratch;
beforeEach(async () => {
  folders = await scratch();
  await mkdir(join(folders.cwd, "found"));
});
afterEach(() => folders.remove());

const check = () => run(["check", "--recordings", "found"], folders);
const put = (from: string, to: string) => copyFile(from, join(folders.cwd, "found", to));

describe("dragoman check --recordings", () => {
  it("reads recordings of version 2, with their events", async () => {
    await put(join(recordings, "gemini-0.61.0-load.jsonl"), "gemini.jsonl");
    const { code, out, err } = await run(["check", "--recordings", "found"], folders);
    expect(code).toBe(1);
    expect(err).not.toContain("left out");
    expect(out).toContain("ACP-SCHEMA-002");
  });

  it.each([
    ["opencode-1.17.4.json", "a.json", undefined],
    ["same-session/acp-inspector-trace-v1.jsonl", "b.jsonl", undefined],
    ["same-session/conductor.jsons", "c.jsons", "written again from their parts"],
    ["same-session/zed-copy-all.json", "d.json", "does not mark errors"],
  ])("reads %s, and states what it lost", async (from, name, loss) => {
    await put(join(captures, from), name);
    const { code, err } = await check();
    expect([0, 1]).toContain(code);
    expect(err).not.toContain("left out");
    if (loss !== undefined) expect(err).toContain(loss);
  });

  it("names files that are no recordings, and fails without any", async () => {
    await writeFile(join(folders.cwd, "found", "package.json"), '{"name":"x"}');
    const { code, err, last } = await check();
    expect(code).toBe(2);
    expect(err).toContain("package.json is left out: the file is not a recording");
    expect(last).toBe("--recordings found has no recordings");
  });
});

import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import { run, withAgent } from "../../support/run.ts";
import { expectRefused, builtBin, foldersForAll } from "../setup.ts";

const bin = builtBin();
const folders = foldersForAll();
beforeAll(async () => {
  execFileSync("mkfifo", [join(folders.cwd, "pipe")]);
}, 60_000);

/** Runs a client against `dragoman replay`, which is a process like any other agent. */
const replay = (file: string, ...argv: string[]) =>
  run(["--agent-command", `node ${bin.file} replay ${file}`, ...argv], folders);
/** The recording of a turn of the scripted agent. */
async function recorded(prompt: string): Promise<string> {
  const file = join(folders.cwd, "wire.jsonl");
  await rm(file, { force: true });
  await run([...withAgent(), "--record", file, prompt], folders);
  return file;
}

describe("dragoman replay", () => {
  it("plays back a recorded conversation as an agent", async () => {
    const file = await recorded("story");
    const { code, out, err } = await replay(file, "story");
    expect({ code, out }).toEqual({ code: 0, out: "Done.\n" });
    expect(err).toContain("[plan] 1/3 done");
  });
  it("plays back requests from the agent, and takes the answers", async () => {
    const file = await recorded("edit");
    expect((await replay(file, "edit")).out).toBe("no");
  });
  it("plays a recording of version 1, and one whose last line was cut", async () => {
    const file = await recorded("hello");
    const [, ...lines] = (await readFile(file, "utf8")).trimEnd().split("\n");
    const header =
      '{"recording":"dragoman","version":1,"startedAt":"2026-01-01T00:00:00.000Z","redacted":true}';
    const wire = lines.filter((line) => !line.includes('"event":'));
    await writeFile(file, [header, ...wire, '{"ms":9,"direct'].join("\n"));
    const { out, err } = await replay(file, "--verbose", "hello");
    expect(out).toBe("Hello, world");
    expect(err).toContain("was cut off and is not played");
  });
  it("answers a call that is not in the recording with an error", async () => {
    const file = await recorded("hello");
    await expectRefused(
      replay(file, "--resume", "kept", "hello"),
      "The recording has no further session/load",
      4,
    );
  });
  it("does not wait forever", async () => {
    const file = await recorded("hello");
    const stdin = new PassThrough();
    const ended = run(["replay", file, "--step-timeout", "100ms"], { ...folders, stdin });
    await expectRefused(ended, "step 1 of 8: initialize did not arrive within 0.1 s", 3);
  });
  it("reports a client that disconnects too early", async () => {
    const file = await recorded("hello");
    const ended = run(["replay", file], { ...folders, stdin: "" });
    await expectRefused(ended, "the client disconnected at step 1 of 8, before initialize", 1);
  });
  it.each([
    [[], "replay needs exactly one recording"],
    [["gone.jsonl"], "gone.jsonl: no such file"],
    [["pipe"], "pipe is a pipe, not a file"],
    [["/dev/zero"], "/dev/zero is a device, not a file"],
    [["package.json"], "package.json: line 1 of the recording is not JSON"],
  ])("of %j fails with a clear message", async (argv, message) => {
    await writeFile(join(folders.cwd, "package.json"), "{\n}\n");
    await expectRefused(run(["replay", ...argv], { ...folders, stdin: "" }), message);
  });
});

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CaseRecordings } from "../../../../../src/apps/cli/commands/check/files.ts";
import { stepsOf } from "../../../../../src/apps/cli/commands/replay/player.ts";
import { parseRecording } from "../../../../../src/transport/wire/index.ts";
import { foldersForEach } from "../setup.ts";

const folders = foldersForEach();

const transcript = (...ids: readonly string[]) => ({
  ids,
  name: "initialize/versions",
  lines: [
    { ms: 0, direction: "out" as const, line: '{"jsonrpc":"2.0","id":0,"method":"initialize"}' },
    { ms: 7, direction: "in" as const, line: '{"jsonrpc":"2.0","id":0,"result":{"token":"abc"}}' },
  ],
  stderr: "warning: correct-horse-battery\n",
});
const open = async (side: "agent" | "client" = "agent") => {
  const io = { cwd: folders.cwd, now: () => 1_000_000 };
  const recordings = await CaseRecordings.open("found", io, side);
  if (recordings === undefined) throw new Error("not opened");
  return recordings;
};
const text = (name: string) => readFile(join(folders.cwd, "found", name), "utf8");

it("writes a recording that replay can play for each id, without secrets", async () => {
  const recordings = await open();
  recordings.add(transcript("ACP-INIT-001", "ACP-INIT-002"), ["correct-horse-battery"]);
  await recordings.end();
  expect((await readdir(join(folders.cwd, "found"))).toSorted()).toEqual([
    "ACP-INIT-001.jsonl",
    "ACP-INIT-001.stderr.txt",
    "ACP-INIT-002.jsonl",
    "ACP-INIT-002.stderr.txt",
  ]);
  const { lines } = parseRecording(await text("ACP-INIT-002.jsonl"));
  expect(stepsOf(lines).map(({ kind }) => kind)).toEqual(["expect", "send"]);
  expect(lines[1]).toMatchObject({ ms: 7, line: expect.stringContaining("[redacted]") });
  expect(await text("ACP-INIT-001.stderr.txt")).toBe("warning: [redacted]\n");
});

it("records a check of a client as the client saw it, so that replay plays the checking agent", async () => {
  const recordings = await open("client");
  recordings.add(transcript("DRC-INIT-01"), []);
  await recordings.end();
  const { lines } = parseRecording(await text("DRC-INIT-01.jsonl"));
  expect(lines.map(({ direction }) => direction)).toEqual(["in", "out"]);
});

it("keeps the first five connections of a requirement", async () => {
  const recordings = await open();
  for (let count = 0; count < 9; count++) recordings.add({ ...transcript("A"), stderr: "" }, []);
  await recordings.end();
  expect((await readdir(join(folders.cwd, "found"))).toSorted()).toEqual([
    "A.2.jsonl",
    "A.3.jsonl",
    "A.4.jsonl",
    "A.5.jsonl",
    "A.jsonl",
  ]);
});

it("is a usage error if the folder cannot be used", async () => {
  const io = { cwd: folders.cwd, now: () => 0 };
  await expect(CaseRecordings.open("/dev/null/x", io, "agent")).rejects.toThrow("--record-dir");
});

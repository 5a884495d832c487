import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  claimHub,
  type FoundRecord,
  isRunning,
  readRecords,
  removeDeadHubs,
} from "../../../../src/apps/cli/warm/records.ts";
import { listenSocket } from "../../../../src/transport/wire/index.ts";
import { foldersForEach } from "../commands/setup.ts";
import { socketProblem } from "../../../../src/apps/cli/warm/hub-client.ts";

const folders = foldersForEach();
let folder: string;
beforeEach(async () => {
  folder = join(folders.home, "run");
  await mkdir(folder, { mode: 0o700 });
});

async function theClaim(version = "1.0.0") {
  const claim = await claimHub(folder, version);
  if (claim === undefined) throw new Error("another hub has it");
  return claim;
}

async function onlyRecord(): Promise<FoundRecord> {
  const [record] = await readRecords(folder);
  if (record === undefined) throw new Error("there is no record");
  return record;
}

describe("a claim", () => {
  it("is a record that only the user can read", async () => {
    const claim = await theClaim();
    const record = await onlyRecord();
    expect(record).toMatchObject({ ...claim.record, state: "starting", pid: process.pid });
    expect(await socketProblem(record.socket)).toMatch(/does not exist/);
    await claim.remove();
    expect(await readdir(folder)).toEqual([]);
  });

  it("is given to exactly one of many that start at once", async () => {
    const claims = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const claim = await claimHub(folder, "1.0.0");
        // The others wait until the one that stays has decided.
        await claim?.change("ready");
        return claim;
      }),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(await readRecords(folder)).toHaveLength(1);
  });

  it("is refused while another hub of the version is ready, but not once it drains", async () => {
    const first = await theClaim();
    await first.change("ready");
    expect(await claimHub(folder, "1.0.0")).toBeUndefined();
    const other = await claimHub(folder, "2.0.0");
    expect(other).toBeDefined();
    await first.change("draining");
    expect(await claimHub(folder, "1.0.0")).toBeDefined();
  });

  it("has short names even for a long version", async () => {
    const claim = await theClaim(`1.0.0-${"x".repeat(200)}`);
    expect(claim.record.socket.length - folder.length).toBeLessThan(41);
  });
});

describe("a record", () => {
  it("belongs to a running process only if pid, start time and boot are the same", async () => {
    await theClaim();
    const record = await onlyRecord();
    expect(isRunning(record)).toBe(true);
    expect(isRunning({ ...record, startedAt: record.startedAt + 1 })).toBe(false);
    expect(isRunning({ ...record, bootId: "another" })).toBe(false);
    expect(isRunning({ ...record, pid: 2 ** 22 + 1 })).toBe(false);
  });

  it("is judged by its heartbeat where its process cannot be seen", async () => {
    const claim = await theClaim();
    const file = (await onlyRecord()).file;
    const foreign = async () => ({ ...(await onlyRecord()), pidNamespace: "pid:[1]" });
    expect(isRunning(await foreign())).toBe(true);
    await utimes(file, 1, 1);
    expect(isRunning(await foreign())).toBe(false);
    await claim.beat();
    expect(isRunning(await foreign())).toBe(true);
  });

  it("of a process that is dead but was not collected is dead", async () => {
    const child = spawn("sh", ["-c", "exec sleep 60 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    const [text] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    const pid = Number(text);
    const { parseStat } = await import("../../../../src/base/process/process-list.ts");
    const stat = parseStat(await readFile(`/proc/${pid}/stat`, "utf8"));
    process.kill(pid, "SIGKILL");
    await theClaim();
    const record = { ...(await onlyRecord()), pid, startedAt: stat?.startedAt ?? 0 };
    await expect.poll(() => isRunning(record)).toBe(false);
    process.kill(-(child.pid ?? 0), "SIGKILL");
  });

  it("is left out if others can use it, and if it is not a record", async () => {
    await theClaim();
    const { file } = await onlyRecord();
    await writeFile(join(folder, "hub-1.0.0.x.json"), "{", { mode: 0o600 });
    await writeFile(join(folder, "hub-1.0.0.y.json"), '{"id":"y"}', { mode: 0o600 });
    expect(await readRecords(folder)).toHaveLength(1);
    await chmod(file, 0o644);
    expect(await readRecords(folder)).toEqual([]);
  });

  it("of a dead hub is removed together with its socket, and no other file is", async () => {
    const live = await theClaim("2.0.0");
    const dead = await theClaim();
    await listenSocket({ path: dead.record.socket });
    const { file } = (await readRecords(folder)).find(({ version }) => version === "1.0.0") ?? {};
    const text = JSON.stringify({ ...dead.record, startedAt: 1 });
    await writeFile(file ?? "", text, { mode: 0o600 });
    const outside = join(folders.home, "hub-kept.sock");
    await writeFile(outside, "");
    const stray = { ...dead.record, id: "stray", startedAt: 1, socket: outside };
    await writeFile(join(folder, "hub-1.0.0.stray.json"), JSON.stringify(stray), { mode: 0o600 });
    await removeDeadHubs(folder);
    expect(await readdir(folder)).toEqual([`hub-2.0.0.${live.record.id}.json`]);
    expect(await readdir(folders.home)).toContain("hub-kept.sock");
  });
});

describe("a socket", () => {
  it("is used only if it is one, and only this user can", async () => {
    const path = join(folder, "a.sock");
    const listener = await listenSocket({ path });
    expect(await socketProblem(path)).toBeUndefined();
    await chmod(path, 0o666);
    expect(await socketProblem(path)).toMatch(/can be used by others/);
    await listener.close();
    await writeFile(path, "", { mode: 0o600 });
    expect(await socketProblem(path)).toMatch(/is not a socket/);
  });
});

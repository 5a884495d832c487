import { readdirSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { CheckReport } from "../../../../../src/conformance/check/index.ts";
import type { Finding } from "../../../../../src/apps/inspector/index.ts";
import { importSession, SessionFormatError } from "../../../../../src/trace/index.ts";
import { run } from "../../support/run.ts";
import { foldersForEach } from "../setup.ts";

const captures = fileURLToPath(new URL("../../../../transcripts/captures", import.meta.url));
const recordings = fileURLToPath(new URL("../../../../../examples/recordings", import.meta.url));

const folders = foldersForEach();
beforeEach(async () => {
  await mkdir(join(folders.cwd, "found"));
});

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

/** Every recording in the tree, and every capture of another program. */
const files = ["../../../../transcripts", "../../../../../examples/recordings"].flatMap(
  (folder) => {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    return readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:jsonl|json|jsons|traffic)$/.test(name))
      .map((name) => join(path, name));
  },
);

/** What someone reads about a broken requirement: its id, and the frames to look at. */
type Broken = Readonly<Record<string, readonly number[]>>;

/** How many deciding frames a report quotes. */
const QUOTED = 6;

async function findingsIn(file: string): Promise<readonly Finding[]> {
  const { out } = await run(["inspect", "--findings", "json", file], folders);
  return (JSON.parse(out) as { findings: readonly Finding[] }).findings;
}

/** The first finding of each rule: an error, if there is one. */
function brokenIn(findings: readonly Finding[], side: string): Broken {
  const own = findings.filter((one) => one.side === side);
  const first = new Map<string, Finding>();
  for (const one of own) {
    const known = first.get(one.rule);
    if (!known || (known.severity === "note" && one.severity === "error")) first.set(one.rule, one);
  }
  return Object.fromEntries([...first].map(([id, { frames }]) => [id, frames.slice(0, QUOTED)]));
}

/** Empty if the recording is of another version. */
async function failedIn(folder: string, side: string, protocol: number): Promise<Broken> {
  const report = join(folders.cwd, "report.json");
  await rm(report, { force: true });
  const words = side === "client" ? ["check", "client"] : ["check"];
  const options = ["--recordings", folder, "--protocol", String(protocol), "--json", "report.json"];
  const { code, last } = await run([...words, ...options], folders);
  if (code === 2) {
    expect(last).toContain("only recordings of another version of ACP");
    return {};
  }
  const { results } = JSON.parse(await readFile(report, "utf8")) as CheckReport;
  const failed = results.filter(({ status }) => status === "failed");
  return Object.fromEntries(failed.map(({ id, frames }) => [id, frames.map(({ n }) => n)]));
}

describe("check --recordings and inspect --findings report the same requirements and frames", () => {
  it.each(files.map((file) => [basename(file), file]))("%s", async (name, file) => {
    try {
      importSession(await readFile(file));
    } catch (error) {
      // Such as the traffic of Droid, which is no ACP.
      expect(error).toBeInstanceOf(SessionFormatError);
      return;
    }
    await put(file, name);
    const findings = await findingsIn(file);
    for (const side of ["agent", "client"]) {
      const failed = {
        ...(await failedIn("found", side, 1)),
        ...(await failedIn("found", side, 2)),
      };
      expect(failed).toEqual(brokenIn(findings, side));
    }
  });
});

// No promise that the library hands out may end the process when nothing awaits it.
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { promisesOf, readEntries } from "../support/declarations.ts";
import { bundleOf, type Bundle } from "../support/agents/bundle.ts";
import { fakeDroid } from "../support/fake-droid/index.ts";
import type { Outcome } from "./unawaited.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const entries = join(root, "src/entries");

/** Runs a program of this folder so that Node ends it for a rejection that nothing handles. */
async function runStrictly(name: string, ...args: string[]): Promise<string> {
  const bundle: Bundle = await bundleOf(`test/entries/${name}`);
  try {
    const strict = ["--unhandled-rejections=strict", fileURLToPath(bundle.url), ...args];
    return (await run(process.execPath, strict)).stdout;
  } finally {
    await bundle.remove();
  }
}

describe("a promise that nothing awaits", () => {
  let outcome: Outcome;

  beforeAll(async () => {
    const { executable = "" } = fakeDroid("0.225.2");
    outcome = JSON.parse(await runStrictly("unawaited.ts", executable)) as Outcome;
  }, 60_000);

  it("is never reported as unhandled", () => {
    expect(outcome.reported).toEqual([]);
  });

  it("rejected in this test, unless it never rejects", () => {
    const resolves =
      /\.(?:cancel|close|closed|exit|exited|kill|release|list|asyncDispose)$|^Mcp(?:Transport\.start|Request\.notify)$|^Tool(?:\.call|ServerRequest\.notify)$|^Subagent(?:\.updates|Handle\.askAbout)$|^serveProxy$|^RemoteEndpoint\.(?:admit|handle|upgrade)$|^readVersion$|^AgentProxy\.ended$|^(?:Hub(?:Server)?|FleetWorker)\.drain$|^WorkItem\.(?:extend|giveBack|done)$|^AuditLog\.(?:note|record)$|^DroidClient.refreshMcpServers$/;
    const { taken, rejected } = outcome;
    expect(taken.filter((name) => !rejected.includes(name) && !resolves.test(name))).toEqual([]);
  });

  it("was tried for everything that is published", () => {
    const paths = readdirSync(entries).map((name) => join(entries, name));
    const known = promisesOf(readEntries(paths));
    // Users implement these, not the library.
    const theirs = /^(?:AgentDefinition\.|HubAgent\.open|SessionPolicy\.close|FromFiles\.load)/;
    expect(known.length).toBeGreaterThan(100);
    expect(known.filter((name) => !theirs.test(name) && !outcome.taken.includes(name))).toEqual([]);
  }, 60_000);
});

it("a turn that is returned from a block with `await using` rejects for its caller only", async () => {
  expect(await runStrictly("returned-turn.ts")).toBe("caught ConnectionError\n");
});

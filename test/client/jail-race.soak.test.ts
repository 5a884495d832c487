import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { JailError } from "../../src/client/gate/jail/errors.ts";
import { Jail } from "../../src/client/gate/jail/jail.ts";
import { randomFrom, seed, times } from "../support/soak.ts";
import { readOpened, scratch } from "./jail-tree.ts";

const swapper = fileURLToPath(new URL("../support/link-swapper.mjs", import.meta.url));
const AT_ONCE = 16;

// Two processes that never rest: on a busy machine that takes its time.
vi.setConfig({ testTimeout: times(120_000, 1_800_000) });

interface Tally {
  served: number;
  refused: number;
}

async function tallied(tally: Tally, work: Promise<unknown>): Promise<void> {
  try {
    await work;
    tally.served++;
  } catch (error) {
    if (!(error instanceof JailError)) throw error;
    tally.refused++;
  }
}

describe.runIf(process.platform === "linux")("while links are swapped during the calls", () => {
  it("nothing outside is read, written, made or removed", async () => {
    using tree = scratch();
    for (const folder of ["real", "folder"]) {
      mkdirSync(join(tree.ws, folder), { recursive: true });
      writeFileSync(join(tree.ws, folder, "file.txt"), "inside");
    }
    mkdirSync(tree.outside);
    writeFileSync(join(tree.outside, "file.txt"), "outside");
    const child = spawn(process.execPath, [swapper, tree.ws, tree.outside], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child.stdout, "data");

    const jail = new Jail([tree.ws]);
    const random = randomFrom(seed);
    const pick = <T>(items: readonly [T, ...T[]]): T =>
      items[Math.floor(random() * items.length)] ?? items[0];
    const reads: Tally = { served: 0, refused: 0 };
    const writes: Tally = { served: 0, refused: 0 };
    const spots = ["link/file.txt", "folder/file.txt", "file.txt"] as const;
    const fresh = ["link/new.txt", "folder/new.txt", "made/x/y.txt", "file.txt"] as const;

    const call = async (): Promise<void> => {
      if (random() < 0.5) {
        const content = async (): Promise<void> => {
          expect(await readOpened(jail, join(tree.ws, pick(spots)))).toBe("inside");
        };
        await tallied(reads, content());
      } else {
        const path = join(tree.ws, pick(fresh));
        await tallied(writes, jail.replace(path, Buffer.from("inside")));
      }
    };
    let left = times(2_000, 100_000);
    const worker = async (): Promise<void> => {
      while (left-- > 0) await call();
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    child.stdin.end();
    await once(child, "exit");

    expect(readdirSync(tree.outside)).toEqual(["file.txt"]);
    expect(readFileSync(join(tree.outside, "file.txt"), "utf8")).toBe("outside");
    expect(readdirSync(tree.top).toSorted()).toEqual(["outside", "ws"]);
    // Otherwise the race was none.
    for (const tally of [reads, writes]) {
      expect(tally.served).toBeGreaterThan(20);
      expect(tally.refused).toBeGreaterThan(20);
    }
  });
});

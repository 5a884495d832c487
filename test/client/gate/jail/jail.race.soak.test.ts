import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { JailError } from "../../../../src/client/gate/jail/errors.ts";
import { Jail } from "../../../../src/client/gate/jail/jail.ts";
import { randomFrom, seed, times } from "../../../support/soak.ts";
import { scratch } from "../scratch.ts";
import { readFile } from "./jail-calls.ts";

const swapper = fileURLToPath(new URL("../../../support/link-swapper.mjs", import.meta.url));
const CONCURRENT_CALLS = 16;

// Two processes run without a pause, which takes long on a busy machine.
vi.setConfig({ testTimeout: times(120_000, 1_800_000) });

interface Tally {
  allowed: number;
  denied: number;
}

async function count(tally: Tally, work: Promise<unknown>): Promise<void> {
  try {
    await work;
    tally.allowed++;
  } catch (error) {
    if (!(error instanceof JailError)) throw error;
    tally.denied++;
  }
}

describe.runIf(process.platform === "linux")(
  "the jail, while links are swapped during its calls",
  () => {
    it("reads, writes, creates and removes nothing outside", async () => {
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
      const reads: Tally = { allowed: 0, denied: 0 };
      const writes: Tally = { allowed: 0, denied: 0 };
      const readable = ["link/file.txt", "folder/file.txt", "file.txt"] as const;
      const writable = ["link/new.txt", "folder/new.txt", "made/x/y.txt", "file.txt"] as const;

      const call = async (): Promise<void> => {
        if (random() < 0.5) {
          const content = async (): Promise<void> => {
            expect(await readFile(jail, join(tree.ws, pick(readable)))).toBe("inside");
          };
          await count(reads, content());
        } else {
          const path = join(tree.ws, pick(writable));
          await count(writes, jail.replace(path, Buffer.from("inside")));
        }
      };
      let left = times(2_000, 100_000);
      const worker = async (): Promise<void> => {
        while (left-- > 0) await call();
      };
      await Promise.all(Array.from({ length: CONCURRENT_CALLS }, worker));
      child.stdin.end();
      await once(child, "exit");

      expect(readdirSync(tree.outside)).toEqual(["file.txt"]);
      expect(readFileSync(join(tree.outside, "file.txt"), "utf8")).toBe("outside");
      expect(readdirSync(tree.top).toSorted()).toEqual(["outside", "ws"]);
      // Otherwise the links were not swapped during the calls.
      for (const tally of [reads, writes]) {
        expect(tally.allowed).toBeGreaterThan(20);
        expect(tally.denied).toBeGreaterThan(20);
      }
    });
  },
);

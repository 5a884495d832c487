// Roots may appear, vanish and be replaced while a session runs.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { JailError } from "../../../../src/client/gate/jail/errors.ts";
import { Jail } from "../../../../src/client/gate/jail/jail.ts";
import { seed, times } from "../../../support/soak.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { OPENERS, readFile } from "./jail-calls.ts";

// The test creates very many small files, which takes long on a busy machine.
vi.setConfig({ testTimeout: times(120_000, 1_800_000) });

const OUTSIDE = "outside";
const FILE = "file.txt";

/** Roots, and the folders above them. Each may be a folder, a link or missing at any time. */
const PLACES = ["ws", "ws/a", "ws/a/b", "up", "up/é", "up/é/late"] as const;
/** Every name below them exists outside too, so that a link makes the same path lead there. */
const NAMES = ["", "a", "a/b", "é", "é/late", "b", "late"] as const;

const place = fc.constantFrom(...PLACES);
const target = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => join("outside", name)),
  fc.constant("."),
);

type Change =
  | { readonly kind: "folder"; readonly at: string }
  | { readonly kind: "gone"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("folder" as const), at: place }),
  fc.record({ kind: fc.constant("gone" as const), at: place }),
  fc.record({ kind: fc.constant("link" as const), at: place, to: target }),
);

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Makes one change, except below a link: that would be a change of the folder outside. */
function apply(tree: Scratch, { at, ...one }: Change): void {
  const path = join(tree.top, at);
  for (let above = dirname(at); above !== "."; above = dirname(above)) {
    if (isLink(join(tree.top, above))) return;
  }
  if (one.kind !== "folder" || isLink(path)) rmSync(path, { recursive: true, force: true });
  if (one.kind === "gone") return;
  mkdirSync(one.kind === "folder" ? path : dirname(path), { recursive: true });
  if (one.kind === "link") symlinkSync(join(tree.top, one.to), path);
}

/** The names of all files and folders below a folder, and what its files contain. */
function snapshot(folder: string): unknown {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((child) => {
      const path = join(child.parentPath, child.name);
      return child.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
    })
    .toSorted();
}

/** True if the call was allowed, false if the jail denied it. */
async function isAllowed(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof JailError) return false;
    throw error;
  }
}

/** The real path of a path or, if it does not exist, of the nearest folder above it that does. */
function nearest(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return nearest(dirname(path));
  }
}

describe.each(OPENERS)("a jail whose roots change, opening files by %s", (_name, opener) => {
  it("uses exactly the files in the places that the roots had at the start", async () => {
    let [allowed, denied] = [0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(place, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(place, { maxLength: 4 }),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        async (roots, first, changes) => {
          using tree = scratch();
          for (const name of NAMES) {
            mkdirSync(join(tree.outside, name), { recursive: true });
            writeFileSync(join(tree.outside, name, FILE), OUTSIDE);
          }
          for (const at of first) apply(tree, { kind: "folder", at });
          const before = snapshot(tree.outside);
          const paths = roots.map((root) => join(tree.top, root));
          const jail = new Jail(paths, { opener });
          await jail.pin();
          for (const one of changes) {
            apply(tree, one);
            for (const root of paths) {
              const path = join(root, FILE);
              const real = `${nearest(path)}/`;
              const isUsable = paths.some((other) => real.startsWith(`${other}/`));
              const isWritten = await isAllowed(jail.replace(path, Buffer.from("inside")));
              expect([changes, root, isWritten]).toEqual([changes, root, isUsable]);
              if (isUsable) expect(await readFile(jail, path)).toBe("inside");
              else expect(await isAllowed(readFile(jail, path))).toBe(false);
              if (isUsable) allowed++;
              else denied++;
            }
            expect(await isAllowed(readFile(jail, join(tree.outside, FILE)))).toBe(false);
          }
          expect(snapshot(tree.outside)).toEqual(before);
        },
      ),
      { seed, numRuns: times(50, 5_000) },
    );
    // Otherwise the generated changes would prove nothing.
    expect(Math.min(allowed, denied)).toBeGreaterThan(50);
  });
});

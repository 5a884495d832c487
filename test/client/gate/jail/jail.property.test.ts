import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
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
const INSIDE = "inside";

/** Few names, so that paths often match trees. Includes Unicode and case variants, and a long name. */
const NAMES = ["a", "A", "b", "é", "e\u0301", "日本", "🦊", "x y", "-n", "l".repeat(255)];
const name = fc.constantFrom(...NAMES);
const names = (min: number, max: number): fc.Arbitrary<string[]> =>
  fc.array(name, { minLength: min, maxLength: max });

type Entry =
  | { readonly kind: "file"; readonly at: string[] }
  | { readonly kind: "folder"; readonly at: string[] }
  | { readonly kind: "link"; readonly at: string[]; readonly to: (tree: Scratch) => string };

const target: fc.Arbitrary<(tree: Scratch) => string> = fc.oneof(
  names(0, 3).map((to) => (tree: Scratch) => join(tree.ws, ...to)),
  names(0, 3).map((to) => (tree: Scratch) => join(tree.outside, ...to)),
  fc.tuple(fc.nat(4), names(0, 3)).map(
    ([up, to]) =>
      () =>
        [...Array<string>(up).fill(".."), ...to].join("/") || ".",
  ),
  names(0, 2).map((to) => () => `../outside/${to.join("/")}`),
);

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant("file" as const), at: names(1, 3) }),
  fc.record({ kind: fc.constant("folder" as const), at: names(1, 3) }),
  fc.record({ kind: fc.constant("link" as const), at: names(1, 3), to: target }),
);

/** Parts of a path as an agent might send it. */
const step = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 2, arbitrary: fc.constantFrom("..", ".", "", "outside", "ws") },
  { weight: 1, arbitrary: fc.constantFrom("n".repeat(256), "a\0b", "\ud83e", "new") },
);
const requestedPath = fc.tuple(
  fc.constantFrom("ws", "outside", "top"),
  fc.array(step, { maxLength: 6 }),
);

function build(tree: Scratch, entries: readonly Entry[], content: string, base: string): void {
  mkdirSync(base, { recursive: true });
  for (const one of entries) {
    const path = join(base, ...one.at);
    try {
      if (!realpathSync(dirname(path)).startsWith(base)) continue;
    } catch {
      // Its folder does not exist yet.
    }
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (!realpathSync(dirname(path)).startsWith(base)) continue;
      if (one.kind === "file") writeFileSync(path, content, { flag: "wx" });
      else if (one.kind === "folder") mkdirSync(path);
      else symlinkSync(one.to(tree), path);
    } catch {
      // Another entry has this path already.
    }
  }
}

/** Everything below a folder: names, kinds and contents. */
function snapshot(folder: string): unknown {
  return readdirSync(folder)
    .toSorted()
    .map((child) => {
      const path = join(folder, child);
      const stats = lstatSync(path);
      if (stats.isDirectory()) return [child, snapshot(path)];
      if (stats.isFile()) return [child, readFileSync(path, "utf8"), stats.mode, stats.ino];
      return [child, "link"];
    });
}

/** True if, according to the system itself, the path leads to a plain file in the workspace. */
function isPlainFileInside(tree: Scratch, path: string): boolean {
  try {
    const real = realpathSync.native(resolve(path));
    return (real === tree.ws || real.startsWith(`${tree.ws}/`)) && statSync(real).isFile();
  } catch {
    return false;
  }
}

async function read(jail: Jail, path: string): Promise<string | JailError> {
  try {
    return await readFile(jail, path);
  } catch (error) {
    if (error instanceof JailError) return error;
    throw error;
  }
}

describe.each(OPENERS)("the jail over generated trees, opening files by %s", (_name, opener) => {
  it("reads exactly the plain files inside, and writes nothing outside", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.array(entry, { maxLength: 5 }),
        fc.array(requestedPath, { minLength: 1, maxLength: 12 }),
        async (inside, outside, paths) => {
          using tree = scratch();
          mkdirSync(tree.outside);
          build(tree, inside, INSIDE, tree.ws);
          build(tree, outside, OUTSIDE, tree.outside);
          const before = snapshot(tree.outside);
          const jail = new Jail([tree.ws], { opener });
          for (const [base, steps] of paths) {
            const path = [tree[base], ...steps].join("/");
            const content = await read(jail, path);
            if (isPlainFileInside(tree, path)) expect([path, content]).toEqual([path, INSIDE]);
            else expect([path, content]).toEqual([path, expect.any(JailError)]);
            const written = await isAllowed(jail.replace(path, Buffer.from(INSIDE)));
            if (written) expect([path, await read(jail, path)]).toEqual([path, INSIDE]);
          }
          expect(snapshot(tree.outside)).toEqual(before);
          expect(readdirSync(tree.top).toSorted()).toEqual(["outside", "ws"]);
        },
      ),
      { seed, numRuns: times(100, 5_000) },
    );
  });
});

// Roots may appear, vanish and be replaced while a session runs.

// The test creates very many small files, which takes long on a busy machine.
vi.setConfig({ testTimeout: times(120_000, 1_800_000) });

const FILE = "file.txt";

/** Roots, and the folders above them. Each may be a folder, a link or missing at any time. */
const PLACES = ["ws", "ws/a", "ws/a/b", "up", "up/é", "up/é/late"] as const;
/** Every name below them exists outside too, so that a link makes the same path lead there. */
const BELOW = ["", "a", "a/b", "é", "é/late", "b", "late"] as const;

const place = fc.constantFrom(...PLACES);
const linkTarget = fc.oneof(
  fc.constantFrom(...BELOW).map((name) => join("outside", name)),
  fc.constant("."),
);

type Change =
  | { readonly kind: "folder"; readonly at: string }
  | { readonly kind: "gone"; readonly at: string }
  | { readonly kind: "link"; readonly at: string; readonly to: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("folder" as const), at: place }),
  fc.record({ kind: fc.constant("gone" as const), at: place }),
  fc.record({ kind: fc.constant("link" as const), at: place, to: linkTarget }),
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
          for (const name of BELOW) {
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
              const isWritten = await isAllowed(jail.replace(path, Buffer.from(INSIDE)));
              expect([changes, root, isWritten]).toEqual([changes, root, isUsable]);
              if (isUsable) expect(await readFile(jail, path)).toBe(INSIDE);
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

import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { git, type GitOptions, takeSnapshot } from "../../../base/git/index.ts";
import { toError } from "../../../base/index.ts";
import { FleetError } from "../errors.ts";
import type { JobSource } from "./job.ts";

/** A fresh working tree of one job. */
export interface JobCheckout {
  /** The real path of its folder. */
  readonly folder: string;
  /** Everything that changed since the revision, committed or not, as a patch. Rejects with FleetError. */
  diff(): Promise<string>;
  /** Removes the folder. Never rejects. */
  remove(): Promise<void>;
}

/** The longest patch, in characters. */
const MAX_DIFF = 64 * 1024 * 1024;
/** An agent may leave endless files. */
const COLLECT_MS = 10 * 60_000;

/** Makes a working tree below `parent`. Rejects with FleetError, or with the error of `rootFolder`. */
export async function checkOut(
  source: JobSource,
  parent: string,
  rootFolder: (cwd: string) => Promise<string>,
): Promise<JobCheckout> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const scratch = await realpath(await mkdtemp(join(parent, "job-")));
  const remove = async (): Promise<void> => {
    await rm(scratch, { recursive: true, force: true }).catch(() => {});
  };
  try {
    const origin = source.kind === "root" ? await rootFolder(source.cwd) : source;
    return await asFleetError(clone(origin, source.revision ?? "HEAD", scratch, remove));
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * A clone reads nothing but names and objects from a root, whose settings could run commands: agents may edit
 * files in there. Its repository is beside the tree, out of reach for the agent of the job.
 */
async function clone(
  origin: string | { readonly url: string },
  revision: string,
  scratch: string,
  remove: () => Promise<void>,
): Promise<JobCheckout> {
  const folder = join(scratch, "tree");
  const { env } = process;
  const args = ["clone", "--quiet", "--no-checkout", `--separate-git-dir=${join(scratch, "git")}`];
  await mkdir(folder);
  const inFolder = { env, cwd: folder };
  let base: string;
  if (typeof origin === "string") {
    // Objects that are missing are not fetched, because the settings of the root say how.
    const inRoot = { env, cwd: origin, set: { GIT_ALLOW_PROTOCOL: "" } };
    base = await commitOf(inRoot, revision);
    const common = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
    const path = (await git(common, inRoot)).replace(/\n$/, "");
    const kept = await settingsOf(inRoot);
    const set = { GIT_ALLOW_PROTOCOL: "file" };
    await git([...args, "--shared", "--", path, "."], { ...inFolder, set });
    for (const [key, value] of kept) await git(["config", key, value], inFolder);
  } else {
    // Other transports can run commands.
    const set = { GIT_ALLOW_PROTOCOL: "https:ssh" };
    await git([...args, "--", origin.url, "."], { ...inFolder, set });
    base = await commitOf(inFolder, revision).catch(() =>
      commitOf(inFolder, `refs/remotes/origin/${revision}`),
    );
  }
  await git(["checkout", "--quiet", "--detach", base], inFolder);
  const snapshot = await takeSnapshot(folder, join(scratch, "snapshot"), { env });
  return { folder, diff: () => asFleetError(diffOf(snapshot)), remove };
}

/** What agents need to commit and to push. */
const KEPT_SETTINGS = "^(user\\.(name|email)|remote\\.origin\\.(url|pushurl))$";

async function settingsOf(options: GitOptions): Promise<ReadonlyMap<string, string>> {
  // Git fails if there are none.
  const found = await git(["config", "-z", "--get-regexp", KEPT_SETTINGS], options).catch(() => "");
  return new Map(
    found.split("\0").flatMap((setting) => {
      const [key = "", ...value] = setting.split("\n");
      return value.length === 0 ? [] : [[key, value.join("\n")]];
    }),
  );
}

async function commitOf(options: GitOptions, revision: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  return (await git(args, options)).trim();
}

async function diffOf(snapshot: Awaited<ReturnType<typeof takeSnapshot>>): Promise<string> {
  const changes = await snapshot.changes(AbortSignal.timeout(COLLECT_MS));
  const diff = await changes.diff(["--binary"], MAX_DIFF + 1);
  if (diff.length <= MAX_DIFF) return diff;
  throw new FleetError("invalid_argument", `the changes are larger than ${MAX_DIFF} characters`);
}

/** Rejects with FleetError `invalid` if git fails. */
async function asFleetError<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (cause) {
    throw new FleetError("invalid_argument", toError(cause).message, { cause });
  }
}

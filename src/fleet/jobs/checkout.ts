import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { git } from "./git.ts";
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

/**
 * Makes a working tree in a folder of its own below `parent`. `rootFolder` finds the real path of a folder in
 * a root. Rejects with FleetError or RpcError.
 */
export async function checkOut(
  source: JobSource,
  parent: string,
  rootFolder: (cwd: string) => Promise<string>,
): Promise<JobCheckout> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const scratch = await realpath(await mkdtemp(join(parent, "job-")));
  const folder = join(scratch, "tree");
  const remove = async (): Promise<void> => {
    await rm(scratch, { recursive: true, force: true }).catch(() => {});
  };
  try {
    return source.kind === "root"
      ? await worktree(await rootFolder(source.cwd), source.revision ?? "HEAD", folder, remove)
      : await clone(source.url, source.revision ?? "HEAD", folder, remove);
  } catch (error) {
    await remove();
    throw error;
  }
}

async function worktree(
  repository: string,
  revision: string,
  folder: string,
  remove: () => Promise<void>,
): Promise<JobCheckout> {
  const base = await commitOf(repository, revision);
  await git(repository, ["worktree", "add", "--quiet", "--detach", folder, base]);
  return {
    folder,
    diff: () => diffSince(folder, base),
    remove: async () => {
      await git(repository, ["worktree", "remove", "--force", folder]).catch(() => {});
      await remove();
    },
  };
}

async function clone(
  url: string,
  revision: string,
  folder: string,
  remove: () => Promise<void>,
): Promise<JobCheckout> {
  await mkdir(folder);
  await git(folder, ["clone", "--quiet", "--no-checkout", "--", url, "."]);
  const base = await commitOf(folder, revision).catch(() =>
    commitOf(folder, `refs/remotes/origin/${revision}`),
  );
  await git(folder, ["checkout", "--quiet", "--detach", base]);
  return { folder, diff: () => diffSince(folder, base), remove };
}

async function commitOf(repository: string, revision: string): Promise<string> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  return (await git(repository, args)).trim();
}

async function diffSince(folder: string, base: string): Promise<string> {
  await git(folder, ["add", "--all"]);
  const plain = ["--no-color", "--no-ext-diff", "--no-textconv", "--binary"];
  return git(folder, ["diff", "--cached", ...plain, base]);
}

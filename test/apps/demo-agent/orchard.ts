/** A small project for the search tests. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const files: Record<string, string> = {
  "README.md": "# Orchard\n\nGrows apples of every kind.\n\n## Tools\n\nA ladder.\n",
  "src/ladder.ts": "export class Ladder {\n  climb() {}\n}\n",
  "src/basket.ts": "// holds what the ladder gave\n",
  ".gitignore": "out/\n",
  "out/ladder.js": "ladder ladder ladder\n",
  "node_modules/x/ladder.js": "ladder\n",
  ".git/ladder": "ladder\n",
  "binary.dat": "ladder\0ladder",
  "picture.png": "ladder",
  "huge.txt": "ladder ".repeat(100_000),
};

export interface Orchard {
  readonly root: string;
  remove(): Promise<void>;
}

/** Writes the project to a temporary folder. */
export async function createOrchard(): Promise<Orchard> {
  const root = await mkdtemp(join(tmpdir(), "dragoman-search-"));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  await symlink(root, join(root, "loop"), "junction");
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

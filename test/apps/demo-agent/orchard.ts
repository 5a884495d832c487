/** A small project for the search tests. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll } from "vitest";
import { useTempFolder } from "../../support/temp-folder.ts";

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

/** Writes files into a folder, by their names. */
export async function writeFiles(root: string, named: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(named)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

/** Gives the tests of a block the project, in a folder of its own. */
export function useOrchard(use: (root: string) => void): void {
  let root = "";
  useTempFolder((path) => use((root = path)));
  beforeAll(async () => {
    await writeFiles(root, files);
    await symlink(root, join(root, "loop"), "junction");
  });
}

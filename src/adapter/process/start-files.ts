import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** What Droid reads in a project's `.factory` and in the user's when it starts. */
const READ_AT_START = [
  "settings.json",
  "settings.local.json",
  "mcp.json",
  "hooks.json",
  "commands",
];
/** These it also writes itself, in the user's, at its first start. */
const READ_IN_PROJECTS = ["droids", "skills"];

/** The times of the files that Droid reads at its start: when they differ, it has read others. */
export async function startFilesPrint(cwd: string, home: string): Promise<string> {
  const project = join(cwd, ".factory");
  const paths = [
    ...[...READ_AT_START, ...READ_IN_PROJECTS].map((name) => join(project, name)),
    ...READ_AT_START.map((name) => join(home, ".factory", name)),
  ];
  const prints = await Promise.all(paths.map(printOf));
  return prints.join("\n");
}

async function printOf(path: string): Promise<string> {
  const names = await readdir(path).catch(() => []);
  const all = [path, ...names.map((name) => join(path, name))];
  const times = await Promise.all(
    all.map((one) =>
      stat(one).then(
        ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
        () => "-",
      ),
    ),
  );
  return times.join(",");
}

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

/** Files that Droid reads at startup, in the project's and the user's `.factory` folders. */
const READ_AT_START = [
  "settings.json",
  "settings.local.json",
  "mcp.json",
  "hooks.json",
  "commands",
];
/** Only the project's files count: Droid itself writes the user's files when it first starts. */
const READ_IN_PROJECTS = ["droids", "skills"];

/** A fingerprint of the files that Droid reads at startup, based on their times and sizes. */
export async function startFilesFingerprint(cwd: string, home: string): Promise<string> {
  const project = join(cwd, ".factory");
  const paths = [
    ...[...READ_AT_START, ...READ_IN_PROJECTS].map((name) => join(project, name)),
    ...READ_AT_START.map((name) => join(home, ".factory", name)),
  ];
  const fingerprints = await Promise.all(paths.map(fingerprintOf));
  return fingerprints.join("\n");
}

async function fingerprintOf(path: string): Promise<string> {
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

import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** The scripted agent, which does what the prompt says. */
export const AGENT = join(root, "test/support/agents/cli-agent.mjs");

/** The command that starts the scripted agent with these switches. */
export function agentCommand(...args: readonly string[]): string {
  return ["node", AGENT, ...args]
    .map((word) => (word.includes(" ") ? `'${word}'` : word))
    .join(" ");
}

export interface BuiltBin {
  readonly file: string;
  remove(): Promise<void>;
}

/** Bundles a command as the build does, but without declarations and the library. */
export function buildBin(name = "dragoman", version = "9.8.7"): Promise<BuiltBin> {
  return bundle(`src/apps/bin/${name}.ts`, version);
}

/** Bundles a program of the project. */
export async function bundle(source: string, version = "9.8.7"): Promise<BuiltBin> {
  const name = basename(source, ".ts");
  const folder = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await build({
    cwd: root,
    input: { [name]: join(root, source) },
    platform: "node",
    tsconfig: true,
    logLevel: "silent",
    transform: { target: "node20.19", define: { DRAGOMAN_VERSION: JSON.stringify(version) } },
    output: {
      dir: join(folder, "bin"),
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: `${name}/[name]-[hash].mjs`,
    },
  });
  await mkdir(join(folder, "inspect"));
  await copyFile(join(root, "test/support/inspect-page.txt"), join(folder, "inspect/page.html"));
  return {
    file: join(folder, `bin/${name}.mjs`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

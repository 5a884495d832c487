import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The agent that does as the prompt says. */
export const AGENT = join(root, "test/support/agents/cli-agent.mjs");

/** The command that starts it, with switches. */
export function agentCommand(...args: readonly string[]): string {
  return ["node", AGENT, ...args]
    .map((word) => (word.includes(" ") ? `'${word}'` : word))
    .join(" ");
}

export interface BuiltBin {
  readonly file: string;
  remove(): Promise<void>;
}

/** Bundles the command the way the build does, declarations and library left out. */
export async function buildBin(name = "dragoman"): Promise<BuiltBin> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-bin-"));
  await build({
    cwd: root,
    input: { [name]: join(root, `src/bin/${name}.ts`) },
    platform: "node",
    tsconfig: true,
    logLevel: "silent",
    transform: { target: "node20.19", define: { DRAGOMAN_VERSION: JSON.stringify("9.8.7") } },
    output: {
      dir: folder,
      format: "esm",
      entryFileNames: "[name].mjs",
      chunkFileNames: `${name}/[name]-[hash].mjs`,
    },
  });
  return {
    file: join(folder, `${name}.mjs`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

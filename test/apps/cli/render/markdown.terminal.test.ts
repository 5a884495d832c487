import { readFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { hasTmux, openTmux, type Tmux } from "../../../support/tmux.ts";
import { agentCommand } from "../support/bin.ts";
import { processEnv } from "../support/process.ts";
import { builtBin, foldersForAll } from "../commands/setup.ts";

const bin = builtBin();
const folders = foldersForAll();

const golden = (name: string): string =>
  readFileSync(new URL(`../golden/markdown/${name}.txt`, import.meta.url), "utf8");
const SAMPLE = golden("answer");
/** The answer as it is shown in this many columns. */
const inColumns = (columns: number): string => golden(`answer-${columns}`).trimEnd();

describe.runIf(hasTmux)("an answer in a real terminal", () => {
  let open: Tmux | undefined;
  const start = async (source: string, columns: number, flags = ""): Promise<Tmux> => {
    await writeFile(join(folders.cwd, "prompt.md"), `printing ${source}`);
    const agent = agentCommand(`pid-file=${join(folders.cwd, "pid")}`);
    const line = `node ${bin.file} ${flags} --agent-command '${agent}' -f prompt.md`;
    const env = { ...processEnv(folders), TERM: "screen-256color" };
    open = openTmux(["sh", "-c", line], { cwd: folders.cwd, env, columns, rows: 40 });
    return open;
  };
  /** The answer, without the line that closes the turn. */
  const answer = (tmux: Tmux): string => tmux.everything().replace(/\n\[done\] [^]*$/, "");
  const resume = async (): Promise<void> => {
    process.kill(Number(await readFile(join(folders.cwd, "pid"), "utf8")), "SIGUSR2");
  };
  afterEach(async () => {
    await open?.close();
    open = undefined;
  });

  it.each([120, 80, 50])("fits into %i columns", async (columns) => {
    const tmux = await start(SAMPLE, columns);
    await tmux.ended();
    expect(answer(tmux)).toBe(inColumns(columns));
  });

  it.each([
    [80, 50, "on and"],
    [50, 120, "on and"],
    [50, 80, "than the other"],
  ])("that is resized from %i to %i columns after %j is wrapped anew", async (from, to, before) => {
    const screen = inColumns(to);
    const tmux = await start(SAMPLE.replace(before, `${before}<pause>`), from);
    await tmux.waitFor(new RegExp(before.replaceAll(" ", "[\\s│]+"), "u"));
    await tmux.resize(to, 40);
    const row = screen.split("\n").find((one) => one.includes(before)) ?? "";
    await tmux.waitFor(`\n${row.slice(0, row.indexOf(before))}${before}`);
    await resume();
    await tmux.ended();
    const lines = answer(tmux).split("\n\n");
    const wanted = screen.split("\n\n");
    // Blocks that were printed before the resize are left to the terminal.
    const block = SAMPLE.split("\n\n").findIndex((one) => one.includes(before));
    expect(lines.slice(block)).toEqual(wanted.slice(block));
  });

  it("is printed as it is with --raw", async () => {
    const tmux = await start("# Title\n\n**bold**\n", 80, "--raw");
    await tmux.ended();
    expect(answer(tmux)).toBe("# Title\n\n**bold**");
  });
});

describe("an answer in a pipe", () => {
  const run = async (env: Readonly<Record<string, string>> = {}, ...argv: string[]) => {
    const args = [bin.file, "--no-stdin", "--agent-command", agentCommand(), ...argv];
    const options = { cwd: folders.cwd, env: { ...processEnv(folders), ...env } };
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  };

  it("is exactly what the agent sent", async () => {
    await writeFile(join(folders.cwd, "prompt.md"), `printing ${SAMPLE}`);
    expect(await run({}, "-f", "prompt.md")).toBe(SAMPLE);
  });

  it("loads neither the parser nor the colors", async () => {
    const coverage = join(folders.home, "coverage");
    expect(await run({ NODE_V8_COVERAGE: coverage }, "story")).toBe("Done.\n");
    const loaded = await loadedFiles(coverage);
    expect(loaded.length).toBeGreaterThan(3);
    for (const text of loaded) {
      expect(text).not.toContain("class MarkdownStream");
      expect(text).not.toContain("class StringStream");
      expect(text).not.toContain("class SyntaxState");
    }
  });
});

/** The texts of the program's files that a run loaded. */
async function loadedFiles(coverage: string): Promise<readonly string[]> {
  const files = new Set<string>();
  for (const report of await readdir(coverage)) {
    const { result } = JSON.parse(await readFile(join(coverage, report), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    for (const { url } of result) if (url.includes("/dragoman-bin-")) files.add(fileURLToPath(url));
  }
  return Promise.all([...files].map((file) => readFile(file, "utf8")));
}

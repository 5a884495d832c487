/** Runs samples of docs/agent.md as programs. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkAgent, commandSubject } from "../../src/conformance/check/index.ts";
import { AcpClient, type Update } from "../../src/entries/dragoman.ts";

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-samples-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The samples that contain a text. */
async function samplesWith(text: string): Promise<readonly string[]> {
  const page = await readFile(fromRoot("docs/agent.md"), "utf8");
  const codes = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  return codes.filter((code) => code.includes(text));
}

function textOf(update: Update): string | undefined {
  const isChunk = update.type === "user_message_chunk" || update.type === "agent_message_chunk";
  return isChunk && update.content.type === "text" ? update.content.text : undefined;
}

/** Builds a program. Returns its file. */
async function build(name: string, code: string): Promise<string> {
  const input = join(folder, `${name}.ts`);
  await writeFile(input, code);
  const alias = { "dragoman/agent": fromRoot("src/entries/agent.ts") };
  const built = await rolldown({ input, platform: "node", resolve: { alias } });
  const file = join(folder, `${name}.mjs`);
  await built.write({ file, format: "esm", codeSplitting: false });
  await built.close();
  return file;
}

it("the samples with a terminal give the client a program and its arguments", async () => {
  const samples = await samplesWith("turn.terminal(");
  expect(samples).toHaveLength(2);
  for (const [index, sample] of samples.entries()) {
    const program = await build(
      `terminal-${index}`,
      `import { serveAgent, stdioChannel } from "dragoman/agent";
      await serveAgent(stdioChannel(), {
        info: { name: "sample", version: "1.0.0" },
        newSession: () => ({}),
        async prompt(turn) {${sample}},
      });`,
    );
    const { results } = await checkAgent({
      subject: commandSubject({ command: process.execPath, args: [program] }),
      ids: new Set(["DRA-TERM-03"]),
      prompts: { run: "Run {command}" },
    });
    const judged = results.filter(({ id }) => id === "DRA-TERM-03");
    expect(judged).toMatchObject([{ status: "passed" }]);
  }
}, 60_000);

it("the sample with a history replays the prompts and the answers in order", async () => {
  const [sample = ""] = await samplesWith("recordUpdate(");
  const client = await AcpClient.start({
    command: process.execPath,
    args: [await build("history", sample)],
  });
  try {
    const session = await client.newSession({ cwd: folder });
    for (const text of ["one", "two"]) await session.prompt(text).result;
    await session.close();
    const replayed: Update[] = [];
    await client.loadSession({
      sessionId: session.id,
      cwd: folder,
      onReplay: (update) => replayed.push(update),
    });
    const expected = [
      ["user_message_chunk", "one"],
      ["agent_message_chunk", "You said: one"],
      ["user_message_chunk", "two"],
      ["agent_message_chunk", "You said: two"],
    ];
    expect(replayed.map((update) => [update.type, textOf(update)])).toEqual(expected);
  } finally {
    await client.close();
  }
}, 60_000);

// @ts-check
// `npm run docs -- pictures`: records docs/demo.svg and docs/chat.svg. It types into a shell in a real terminal
// (tmux, 80 columns), reads the screen again and again, and draws exactly what the screen shows. The chat runs
// the real Droid with a scripted model, so `npm test` must have installed Droid.
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fromSource } from "./from-source.mjs";
import { root } from "./run.mjs";
import { drawScreens } from "./screens-svg.mjs";

const COLUMNS = 80;
const DROID = "test/real/droid/versions/0.225.2/node_modules/@factory/cli-linux-x64/bin/droid";

/**
 * @typedef {object} Terminal
 * @property {(text: string) => Promise<void>} type types text, word by word
 * @property {(pattern: RegExp) => Promise<void>} until waits until the screen matches
 * @property {(ms: number) => Promise<void>} pause gives a person time to read
 */

/** The arguments that choose the scripted model for Droid. */
const MODEL_SETTING = ["config", "set", "agents.droid.model", "custom:Scripted-0"];

const README = `# Tide tables

Computes the tides of any harbour from its harmonic constants, without a network.

## Use

\`tides --harbour Cuxhaven --days 3\`

## Accuracy

Within four centimetres of the official tables.
`;
const PACKAGE = '{ "name": "tides", "description": "Tide tables, offline" }\n';
const TIDES = `import { predict } from "./predict.js";

const harbours = ["Cuxhaven", "Husum"];

export const tides = (days) => harbours.map((name) => predict(name, days));
`;
const ANSWER = `## Accuracy

The tables stay **within four centimetres** of the official ones:

| Harbour  | Mean error | Worst |
| -------- | ---------: | ----: |
| Cuxhaven |     1.2 cm |  3 cm |
| Husum    |     1.9 cm |  4 cm |

To check one yourself:

\`\`\`js
const [next] = tides(1); // the first harbour
console.log(next.highWater.toISOString());
\`\`\`
`;

const scratch = await mkdtemp(join(tmpdir(), "dragoman-pictures-"));
try {
  const bin = join(scratch, "bin");
  await mkdir(bin);
  await symlink(process.execPath, join(bin, "node"));
  await symlink(join(root, "dist/bin/dragoman.js"), join(bin, "dragoman"));
  await symlink(join(root, "dist/bin/droid-acp.js"), join(bin, "droid-acp"));
  await recordDemo(bin);
  await recordChat(bin);
} finally {
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}

/** @param {string} bin */
async function recordDemo(bin) {
  const project = await createProject("demo");
  const env = { HOME: join(scratch, "home"), PATH: `${bin}:/usr/bin:/bin` };
  await mkdir(env.HOME);
  const screens = await record({ cwd: project, env, rows: 28 }, async ({ type, until, pause }) => {
    await type('dragoman "what does this project do?"\r');
    await until(/\[done\].*\n\$\n/);
    await pause(1500);
    await type('dragoman -a demo "/edit notes.txt Ask before you write."\r');
    await until(/Choose 1-\d/);
    await pause(1500);
    await type("1\r");
    await until(/\[done\][^]*\[done\].*\n\$\n/);
  });
  const label = "dragoman in a terminal: one question answered, one edit allowed";
  await writeFile(join(root, "docs/demo.svg"), drawScreens(screens, COLUMNS, label));
}

/** @param {string} bin */
async function recordChat(bin) {
  const { ModelServer, text, toolCall } = await fromSource(
    "src/conformance/scripted-model/index.ts",
  );
  const { createDroidHome, settingsFor } = await fromSource("test/support/droid/home.ts");
  const project = await createProject("chat");
  await symlink(join(root, DROID), join(bin, "droid"));
  const model = await ModelServer.start();
  const { customModels } = settingsFor({ modelUrl: model.url });
  const home = await createDroidHome({
    modelUrl: model.url,
    settings: { customModels: [{ ...customModels[0], displayName: "Scripted" }] },
  });
  try {
    model.push(
      text(ANSWER, { chunks: 60, delayMs: 25 }),
      toolCall("Edit", {
        file_path: join(project, "tides.js"),
        old_str: 'const harbours = ["Cuxhaven", "Husum"];',
        new_str: 'const harbours = ["Cuxhaven", "Hamburg", "Husum"];',
      }),
      text("Done: `tides.js` knows **Hamburg** now.", { chunks: 8, delayMs: 25 }),
    );
    const env = { ...home.env, PATH: `${bin}:/usr/bin:/bin` };
    execFileSync(process.execPath, [join(bin, "dragoman"), ...MODEL_SETTING], {
      env,
      stdio: "ignore",
    });
    const screens = await record(
      { cwd: project, env, rows: 36 },
      async ({ type, until, pause }) => {
        await type("dragoman chat\r");
        await until(/^>/m);
        await pause(800);
        await type("how good are the tables?\r");
        await until(/highWater[^]*\n>\n/);
        await pause(2000);
        await type("add Hamburg\r");
        await until(/Choose 1-\d/);
        await pause(2000);
        await type("1\r");
        await until(/\[done\][^]*\[done\].*\n>\n/);
      },
    );
    const label = "dragoman chat in a terminal: a Markdown answer, then a question before an edit";
    await writeFile(join(root, "docs/chat.svg"), drawScreens(screens, COLUMNS, label));
  } finally {
    await model.close();
    await home.remove();
  }
}

/** @param {string} name */
async function createProject(name) {
  const project = join(scratch, name, "tides");
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "README.md"), README);
  await writeFile(join(project, "package.json"), PACKAGE);
  await writeFile(join(project, "tides.js"), TIDES);
  await writeFile(join(project, "notes.txt"), "Read first.\n");
  return project;
}

/**
 * Runs a shell in a terminal and lets `act` use it.
 * @param {{ cwd: string, env: Record<string, string>, rows: number }} options
 * @param {(terminal: Terminal) => Promise<void>} act
 * @returns {Promise<import("./screens-svg.mjs").Screen[]>} every screen that was seen
 */
async function record({ cwd, env, rows }, act) {
  const socket = join(await mkdtemp(join(scratch, "tmux-")), "socket");
  /** @param {string[]} args */
  const tmux = (...args) =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env, LANG: "C.UTF-8", PS1: "$ " },
      encoding: "utf8",
    });
  const size = ["-x", String(COLUMNS), "-y", String(rows)];
  // A session of its own keeps the server alive until the options are set.
  tmux("new-session", "-d", "-s", "keeper", "cat");
  tmux("set", "-g", "default-terminal", "tmux-256color");
  const shell = ["bash", "--noprofile", "--norc"];
  tmux("new-session", "-d", "-s", "shell", ...size, "-c", cwd, ...shell);
  const capture = () => tmux("capture-pane", "-p", "-e", "-t", "shell:");
  const plain = () => tmux("capture-pane", "-p", "-t", "shell:").replace(/\n+$/, "\n");
  /** @type {import("./screens-svg.mjs").Screen[]} */
  const screens = [];
  const started = performance.now();
  const stopped = new AbortController();
  const recorder = (async () => {
    while (!stopped.signal.aborted) {
      const rowsShown = capture().replace(/\n$/, "").split("\n");
      screens.push({ at: performance.now() - started, rows: rowsShown });
      await delay(40);
    }
  })();
  try {
    await act({
      pause: (ms) => delay(ms),
      type: async (text) => {
        for (const word of text.match(/ *[^ \r]+|\r/g) ?? []) {
          await delay(120);
          tmux("send-keys", "-t", "shell:", ...(word === "\r" ? ["Enter"] : ["-l", word]));
        }
      },
      until: async (pattern) => {
        const limit = performance.now() + 30_000;
        while (!pattern.test(plain())) {
          if (performance.now() > limit) {
            throw new Error(`the screen never matched ${String(pattern)}:\n${plain()}`);
          }
          await delay(50);
        }
      },
    });
    await delay(300);
  } finally {
    stopped.abort();
    await recorder;
    tmux("kill-server");
  }
  return screens;
}

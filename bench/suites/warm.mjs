// Measures how long a user waits for the answer of a real agent that is started for one prompt, and of
// one that was kept warm. The model is scripted and answers at once, so this is only the start.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cache = here("../../node_modules/.cache/bench");
const droid = "test/real/droid/versions/0.225.2/node_modules";

await build({
  input: here("../warm/real-agents.ts"),
  platform: "node",
  output: { dir: cache, format: "esm", entryFileNames: "real-agents.js" },
  logLevel: "silent",
});

/** Prints a note and returns false if the agent cannot be installed. */
async function isAvailable(name) {
  try {
    if (name === "droid") return existsSync(here(`../../${droid}`));
    const { installAgent } = await import(`${cache}/real-agents.js`);
    await installAgent(name, { root: here("../../") });
    return true;
  } catch (error) {
    console.log(`(could not install ${name}, so it is not measured: ${error.message})`);
    return false;
  }
}

const AGENTS = [
  ["droid", "Droid 0.225.2, through droid-acp"],
  ["gemini", "Gemini CLI 0.61.0"],
  ["kimi", "Kimi Code 2.1.0"],
];
const parts = [];
for (const [name, title] of AGENTS) {
  if (!(await isAvailable(name))) continue;
  parts.push({
    title: `One prompt to ${title}, from start to exit`,
    metric: "wallMs",
    label: "wall time",
    rounds: 3,
    variants: [
      { name: "started for the prompt", command: ["consumers/warm-time.mjs", name, "cold"] },
      { name: "kept warm", command: ["consumers/warm-time.mjs", name, "warm"], target: "< 1" },
    ],
  });
}

export default { title: "Warm agents", parts };

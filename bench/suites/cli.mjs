// Measures how long a user waits for the command line, and does the same for acpx if it can be
// installed. acpx needs a newer Node, so each is compared with the Node it runs on.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ACPX = "acpx@0.19.1";
// The wrapper package `node` does its work in an install script, which npm may block.
const RUNTIME = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const NODE = `${RUNTIME}@22.23.3`;
const cache = fileURLToPath(new URL("../../node_modules/.cache/acpx", import.meta.url));

/** Installs acpx and its Node on first use. Prints a note and returns false if that fails. */
async function hasAcpx() {
  const wanted = ["acpx/dist/cli.js", `${RUNTIME}/bin/node`].map(
    (file) => `${cache}/node_modules/${file}`,
  );
  if (wanted.every(existsSync)) return true;
  try {
    await mkdir(cache, { recursive: true });
    await writeFile(`${cache}/package.json`, '{ "private": true }\n');
    const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", ACPX, NODE];
    execFileSync("npm", args, { cwd: cache, stdio: "ignore", timeout: 300_000 });
  } catch {
    // Reported below.
  }
  if (wanted.every(existsSync)) return true;
  console.log(`(could not install ${ACPX}, so it is not measured)`);
  return false;
}

const time = (name, label, target) => ({
  name: label,
  command: ["consumers/cli-time.mjs", name],
  ...(target === undefined ? {} : { target }),
});
const part = (title, variants) => ({
  title,
  metric: "wallMs",
  label: "wall time",
  rounds: 15,
  variants,
});

const acpx = await hasAcpx();

export default {
  title: "The command line",
  parts: [
    part("Start", [
      time("node", "node -e 0"),
      time("version", "dragoman --version", "≤ 1.25"),
      time("help", "dragoman --help"),
    ]),
    part("One prompt to a trivial agent, from start to exit", [
      time("bare", "a bare script with the same handshake"),
      time("prompt", "dragoman", "≤ 1.3"),
    ]),
    ...(acpx
      ? [
          part(`Start, ${ACPX} on ${NODE}`, [
            time("acpx-node", "node -e 0"),
            time("acpx-version", "acpx --version"),
          ]),
          part(`One prompt, ${ACPX} on ${NODE}`, [
            time("acpx-bare", "a bare script with the same handshake"),
            time("acpx-prompt", "acpx exec"),
          ]),
        ]
      : []),
  ],
};

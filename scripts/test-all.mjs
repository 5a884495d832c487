// @ts-check
// `npm run test:all [-- SUITE ... [ARGUMENTS OF VITEST]]`: the suites that `npm test` leaves out, because they
// take long or install much. Without the name of a suite it runs everything.
import { randomInt } from "node:crypto";
import { root, step, tool } from "./run.mjs";
import { testOnRuntimes } from "./test-nodes.mjs";

/** @typedef {(args: readonly string[]) => unknown} Suite */

/**
 * Runs a suite of vitest.config.ts.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function vitest(name, args, env) {
  step(name, [tool.vitest, "run", ...args], { env: { DRAGOMAN_SUITE: name, ...env } });
}

/**
 * A suite that writes its results into docs/interop.md if everything ran and passed.
 * @param {string} name
 * @param {readonly string[]} args
 */
function interop(name, args) {
  vitest(name, args);
  step("formatting docs/interop.md", [tool.oxfmt, "docs/interop.md"]);
}

/** @type {Readonly<Record<string, Suite>>} */
const suites = {
  // The checks and the ordinary tests.
  quick: (args) => step("npm test", ["scripts/test.mjs", ...args]),
  // Every requirement of `dragoman check` on an agent or a client that breaks it, and hostile ones.
  mutants: (args) => vitest("mutants", args),
  // The packed package under several bundlers, compilers and versions of TypeScript.
  package: (args) => vitest("package", args),
  // The packed package in Chromium from the system; CHROMIUM names another executable.
  page: (args) => vitest("page", args),
  // Clusters of three NATS servers, whose processes are killed. Needs `nats-server`.
  fleet: (args) => vitest("fleet", args),
  // Clients and servers from other vendors with our agents and our client.
  clients: (args) => interop("clients", args),
  // Agents from other vendors with our client.
  agents: (args) => interop("agents", args),
  // Every known version of Droid, with every client.
  droid: (args) => vitest("droid", args),
  // Long runs with a new seed. DRAGOMAN_SEED repeats one; DRAGOMAN_SOAK=reduced makes all of them short, with
  // the seed that is always the same.
  soak: (args) => {
    const isReduced = process.env.DRAGOMAN_SOAK === "reduced";
    const seed = process.env.DRAGOMAN_SEED ?? (isReduced ? "1" : String(randomInt(1, 2 ** 31)));
    console.log(`\nDRAGOMAN_SEED=${seed}`);
    vitest("soak", args, { DRAGOMAN_SEED: seed });
  },
  // Newer Node releases, and the packed package on Bun and Deno.
  nodes: testOnRuntimes,
};

const words = process.argv.slice(2);
const isSuite = (/** @type {string} */ word) => Object.hasOwn(suites, word);
const end = words.findIndex((word) => !isSuite(word));
const named = end < 0 ? words : words.slice(0, end);
const args = words.slice(named.length);
if (named.length === 0 && args.length > 0) {
  console.error(`name a suite first: ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}
process.chdir(root);
for (const name of named.length > 0 ? named : Object.keys(suites)) await suites[name]?.(args);

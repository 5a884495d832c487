// @ts-check
// `npm run docs [-- PART ...]`: writes the texts that are made from the sources. Without the name of a part, it
// writes those that are in the repository and need nothing but Node: cli, samples and report.
import { step, tool } from "./run.mjs";

/** @type {Readonly<Record<string, () => unknown>>} */
const parts = {
  // The tables of flags, settings and requirements in docs/, and the manual.
  cli: () => {
    step("tables", ["scripts/cli-reference.mjs"]);
    step("manual", [tool.vitest, "run", "test/apps/cli/commands/reference.test.ts", "-u"]);
  },
  // The programs of examples/ in docs/cookbook.md.
  samples: () => step("samples", [tool.vitest, "run", "test/docs.examples.test.ts", "-u"]),
  // The public interface in api/, for reviewers.
  report: () => step("report", ["scripts/api-report.mjs"]),
  // The reference in docs/api, which is in the package and not in the repository.
  api: () => step("reference", ["scripts/api-docs.mjs"]),
  // The pictures of the README. Needs tmux and Droid.
  pictures: () => {
    step("build", ["scripts/build.mjs"]);
    step("pictures", ["scripts/record-pictures.mjs"]);
  },
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(", ")}: name ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
for (const name of named.length > 0 ? named : ["cli", "samples", "report"]) parts[name]?.();

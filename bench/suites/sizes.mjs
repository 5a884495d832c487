import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/run.mjs";
import {
  BUDGET_FILE,
  kilobytes,
  measureSizes,
  overBudget,
  readBudget,
  statement,
} from "../../scripts/sizes.mjs";

/** The table of the sizes. If `write` is set, raises the budget of the entries that exceed it. */
async function render(write) {
  const [sizes, budget] = await Promise.all([measureSizes(root), readBudget().catch(() => ({}))]);
  const larger = overBudget(sizes, budget);
  if (write) {
    const raised = Object.entries(sizes).map(([name, size]) => [
      name,
      larger.includes(name) ? size : budget[name],
    ]);
    const text = JSON.stringify(Object.fromEntries(raised), undefined, 2);
    await writeFile(join(root, BUDGET_FILE), `${text}\n`);
    for (const name of larger) {
      console.log(
        `${BUDGET_FILE} was raised. Add to CHANGELOG.md: ${statement(name, sizes[name])}`,
      );
    }
  }
  const rows = Object.entries(sizes).map(([name, { minified, gzip }]) => {
    const limit = larger.includes(name) ? sizes[name] : budget[name];
    const cells = [
      `\`${name}\``,
      kilobytes(minified),
      kilobytes(gzip),
      `${kilobytes(limit.minified)} (${kilobytes(limit.gzip)})`,
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "### Everything that an entry exports, bundled and minified by esbuild",
    "",
    "| | minified | gzip | budget |",
    "|---|---|---|---|",
    ...rows,
    "",
    "Code that is loaded only when it is needed counts too. A test fails if an entry is more than 10 % larger than its budget.",
  ].join("\n");
}

export default { title: "The size of each entry", render };

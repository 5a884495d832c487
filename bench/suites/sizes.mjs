import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/run.mjs";
import {
  BUDGET_FILE,
  CLIENT_TARGET,
  kilobytes,
  measureClient,
  measureSizes,
  overBudget,
  readBudget,
  statement,
} from "../../scripts/sizes.mjs";

/** The table of the sizes. If `write` is set, raises the budget of the entries that exceed it. */
async function render(write) {
  const [sizes, clients, budget] = await Promise.all([
    measureSizes(root),
    measureClient(root),
    readBudget().catch(() => ({})),
  ]);
  const larger = overBudget(sizes, budget);
  if (write) {
    const raised = Object.entries(sizes).map(([name, size]) => [
      name,
      larger.includes(name) ? size : budget[name],
    ]);
    const text = JSON.stringify(Object.fromEntries(raised), undefined, 2);
    await writeFile(join(root, BUDGET_FILE), `${text}\n`);
    for (const name of larger) {
      console.log(`${BUDGET_FILE} was raised: ${statement(name, sizes[name])}`);
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
  const clientRows = clients.map(({ platform, start, single }) => {
    const name = platform === "node" ? "Node" : "browsers";
    const cells = [name, kilobytes(start), kilobytes(single), `≤ ${CLIENT_TARGET / 1000} kB`];
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
    "",
    '### `import { AcpClient } from "dragoman"`, bundled and minified by esbuild',
    "",
    "| | loaded at the start | all in one file | target for the start |",
    "|---|---|---|---|",
    ...clientRows,
    "",
    "With code splitting, a program on Node loads WebSockets, streamable HTTP, version 2 of the protocol and the start of processes when it needs them.",
  ].join("\n");
}

export default { title: "The size of each entry", render };

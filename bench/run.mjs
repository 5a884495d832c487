// Runs the benchmarks: `npm run bench [-- SUITE ...] [--rounds N] [--write]`.
//
// Each variant runs in a fresh process, in alternating rounds, so that a noisy machine affects all of
// them equally. Only the ratios within one run are meaningful. `--write` writes the tables to
// docs/benchmarks.md.
import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { build } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    write: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);

const INTRODUCTION = `# Benchmarks

\`npm run bench -- --write\` generates this page. Each variant runs in a fresh process, in alternating
rounds; the figures are medians. Machines are noisy, so look at the ratios: each one compares a row
with the first row of its table, measured in the same run. CPU time counts only the consumer's process.
`;

const names = (await readdir(here("suites"))).map((file) => file.replace(/\.mjs$/, "")).toSorted();
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown suite: ${unknown.join(", ")}; available suites: ${names.join(", ")}`);
  process.exit(2);
}
const chosen = positionals.length > 0 ? names.filter((name) => positionals.includes(name)) : names;

const suites = new Map();
for (const name of chosen) suites.set(name, (await import(`./suites/${name}.mjs`)).default);
if ([...suites.values()].some(({ parts }) => parts)) {
  await build({
    input: here("entry.ts"),
    platform: "node",
    output: { dir: here("../node_modules/.cache/bench"), format: "esm", entryFileNames: "lib.js" },
    logLevel: "silent",
  });
}

/** Other work on the machine, which makes times longer and ratios less certain. */
const [loadAtStart = 0] = loadavg();

const tables = new Map();
for (const [name, suite] of suites) {
  const sections = [];
  // A suite that measures no time has no parts, and writes its own table.
  if (suite.render) {
    const table = await suite.render(values.write);
    console.log(`\n${table}`);
    sections.push(table);
  }
  for (const part of suite.parts ?? []) {
    const table = render(part, await measurePart(part));
    console.log(`\n${table}`);
    sections.push(table);
  }
  tables.set(name, `## ${suite.title}\n\n${sections.join("\n\n")}\n`);
  // Write after each suite, so that its results are kept even if a later one is interrupted.
  if (values.write) await writeDocs();
}

/** Runs the variants of one part in alternation, in reverse order every other round. */
async function measurePart(part) {
  const samples = part.variants.map(() => []);
  for (let round = 0; round <= (part.rounds ?? rounds); round++) {
    const order = part.variants.map((_, index) => index);
    if (round % 2 === 1) order.reverse();
    for (const index of order) {
      const { command } = part.variants[index];
      const [script, ...args] = command;
      const { stdout } = await run(process.execPath, [here(script), ...args.map(String)], {
        maxBuffer: 1 << 26,
      });
      const sample = JSON.parse(stdout.trim().split("\n").at(-1));
      // The first round only warms the disk cache.
      if (round > 0) samples[index].push(sample);
    }
  }
  return samples;
}

function render(part, samples) {
  const metric = part.metric ?? "cpuMs";
  const base = median(samples[0].map((sample) => sample[metric]));
  const rows = part.variants.map((variant, index) => {
    const own = median(samples[index].map((sample) => sample[metric]));
    const rss = median(samples[index].map((sample) => sample.rssMb));
    const baseRss = median(samples[0].map((sample) => sample.rssMb));
    const cells = [
      variant.name,
      `${own.toFixed(own < 100 ? 1 : 0)} ${part.unit ?? "ms"}`,
      (own / base).toFixed(2),
      Number.isNaN(rss) ? "" : `${rss.toFixed(0)} MB`,
      Number.isNaN(rss) ? "" : (rss / baseRss).toFixed(2),
      variant.target ?? "",
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const label = part.label ?? "CPU time";
  return [
    `### ${part.title}`,
    "",
    `| | ${label} | ratio | peak RSS | ratio | target |`,
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Replaces only the sections of the suites that ran. */
async function writeDocs() {
  const path = here("../docs/benchmarks.md");
  const old = await readFile(path, "utf8").catch(() => "");
  const sections = new Map();
  for (const match of old.matchAll(/<!-- suite: (\S+) -->\n([\s\S]*?)<!-- end -->/g)) {
    sections.set(match[1], match[2]);
  }
  const machine = `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} cores`;
  for (const [name, table] of tables) {
    const options = suites.get(name).parts ? ` --rounds ${rounds}` : "";
    const ran = `npm run bench -- ${name}${options}`;
    const load = suites.get(name).parts ? `, with a load of ${loadAtStart.toFixed(1)}` : "";
    sections.set(name, `${table}\nMeasured with \`${ran}\` on ${machine}${load}.\n`);
  }
  const body = [...sections]
    .toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
    .map(([name, text]) => `<!-- suite: ${name} -->\n${text}<!-- end -->\n`)
    .join("\n");
  await writeFile(path, `${INTRODUCTION}\n${body}`);
  await run(process.execPath, [
    here("../node_modules/oxfmt/bin/oxfmt"),
    here("../docs/benchmarks.md"),
  ]);
}

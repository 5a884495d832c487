import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const UPDATES = 200_000;
const script = "consumers/hub.mjs";

/** The load is measured once: its figures are counts and limits, not times to compare. */
async function render() {
  const file = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const measured = [];
  for (const [name, ...counts] of [
    ["1 client with one session of 50,000 updates", 1, 1, 50_000],
    ["50 clients with 10 sessions of 100 updates each", 50, 10, 100],
  ]) {
    const args = ["load", ...counts].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
    measured.push({ name, ...JSON.parse(stdout.trim().split("\n").at(-1)) });
  }
  const rows = measured.map((row) =>
    [
      `| ${row.name}`,
      row.seen - row.disorder,
      row.missing + row.disorder,
      `${row.wallMs.toFixed(0)} ms`,
      `${row.cpuMs.toFixed(0)} ms`,
      `${row.rssMb.toFixed(0)} MB |`,
    ].join(" | "),
  );
  return [
    "### A server over WebSocket, with one more client that has stopped reading",
    "",
    "The agent sends that client 10 MB in each of its sessions.",
    "",
    "| | updates in order | lost or out of order | wall time | CPU time of the server | peak RSS |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

export default {
  title: "The hub",
  render,
  parts: [
    {
      title:
        "200,000 updates of about 230 bytes from an agent to a client, CPU time of the relay only",
      variants: [
        {
          name: "baseline: parse + stringify + write",
          command: [script, "relay", "baseline", UPDATES],
        },
        {
          name: "hub without a log",
          command: [script, "relay", "proxy", UPDATES],
          target: "≤ 2.0",
        },
        { name: "hub with a log", command: [script, "relay", "log", UPDATES], target: "≤ 2.0" },
      ],
    },
    {
      title: "One request and its answer, median of 2,000",
      metric: "latencyMs",
      label: "time",
      variants: [
        { name: "client and agent, directly", command: [script, "latency", "direct", 2000] },
        {
          name: "hub without a log",
          command: [script, "latency", "proxy", 2000],
          target: "+ ≤ 1 ms",
        },
        { name: "hub with a log", command: [script, "latency", "log", 2000], target: "+ ≤ 1 ms" },
        {
          name: "server, over WebSocket",
          command: [script, "latency", "serve", 2000],
          target: "+ ≤ 1 ms",
        },
      ],
    },
    {
      title: "Memory of the hub while an agent sends to a client that has stopped reading",
      metric: "rssMb",
      label: "peak RSS",
      unit: "MB",
      rounds: 1,
      variants: [
        { name: "1 MB, without a log", command: [script, "stalled", "proxy", 1] },
        {
          name: "200 MB, without a log",
          command: [script, "stalled", "proxy", 200],
          target: "≤ 1.5",
        },
        { name: "200 MB, with a log", command: [script, "stalled", "log", 200], target: "≤ 1.5" },
      ],
    },
  ],
};

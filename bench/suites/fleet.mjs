import { execFile } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const file = fileURLToPath(new URL("../consumers/fleet.mjs", import.meta.url));

async function measure(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args]);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

const ms = (value) => (value === undefined ? "" : `${value.toFixed(value < 10 ? 1 : 0)} ms`);
const perSecond = (value) => `${Math.round(value / 10) * 10}`;
const both = ({ median, p99 }) => `${ms(median)}, ${ms(p99)}`;
const bytes = (value) => (value === undefined ? "" : `${value.toFixed(0)} bytes`);
const memory = ({ before, after }, field) =>
  after[field] === 0 ? "" : `${before[field].toFixed(0)}, ${after[field].toFixed(0)} MB`;

/** Measured once: most figures are far apart, or limits rather than times to compare. */
async function render() {
  const [load] = loadavg();
  const runs = [await measure("serve"), await measure("fleet", "1"), await measure("fleet", "3")];
  const rows = [
    ["updates per second, one session", (run) => perSecond(run.oneTool)],
    ["updates per second, 20 sessions", (run) => perSecond(run.allTool)],
    ["pieces of text per second, 20 sessions", (run) => perSecond(run.allText)],
    ["update from agent to client: median, 99th percentile", (run) => both(run.tool)],
    ["the same for a piece of text, which waits 20 ms for more", (run) => both(run.text)],
    ["cancel from client to agent: median", (run) => ms(run.cancel.median)],
    ["the longest of 20", (run) => ms(run.cancel.max)],
    [
      "CPU time of all processes but agents, per update",
      (run) => (run.cpuUsPerUpdate === undefined ? "" : `${run.cpuUsPerUpdate.toFixed(0)} µs`),
    ],
    ["client continues on another gateway", (run) => ms(run.gatewayMs)],
    ["a dead worker's turn is reported", (run) => ms(run.workerMs)],
    ["longest pause when a NATS server dies", (run) => ms(run.serverMs)],
    ["memory of the workers with 1 and 20 sessions", (run) => memory(run, "workersMb")],
    ["memory of the gateway with 1 and 20 sessions", (run) => memory(run, "gatewayMb")],
    ["memory of the NATS servers", (run) => memory(run, "serversMb")],
    ["stored for each entry of a log, by each server", (run) => bytes(run.bytes)],
  ];
  return [
    "### Agents, workers, gateways, clients and NATS servers on one machine",
    "",
    `Updates have about 230 bytes. The load was ${load.toFixed(1)} on average in the minute before.`,
    "",
    "| | `dragoman serve` | fleet, 1 NATS server | fleet, 3 NATS servers |",
    "|---|---|---|---|",
    ...rows.map(([name, show]) => `| ${String(name)} | ${runs.map(show).join(" | ")} |`),
  ].join("\n");
}

export default { title: "Fleets", render };

// Our client: start, one session, one prompt, and a loop over its updates. It also ends the agent's
// whole process tree, which the other clients do not; that happens after the measurement.
import { AcpClient } from "../lib.mjs";
import { producer, report } from "../measure.mjs";

const [count, version = "1"] = process.argv.slice(2);
const before = process.cpuUsage();
const startedAt = performance.now();
const client = await AcpClient.start({
  command: process.execPath,
  args: [producer("client-agent"), count],
  protocol: Number(version),
});
const session = await client.newSession({ cwd: process.cwd() });
let seen = 0;
let startMs;
for await (const update of session.prompt("go")) {
  if (update.text === "") continue;
  if (seen === 0) startMs = performance.now() - startedAt;
  seen++;
}
const { user, system } = process.cpuUsage(before);
await client.close();
report({ seen, startMs, cpuMs: (user + system) / 1000 });

// A bare loop: ids, a map of resolvers, one line out, one line in.
import { report, start } from "../measure.mjs";
import { makeTrips } from "../trips.mjs";

const [mode, count] = process.argv.slice(2);
const child = start("echo");
const pending = new Map();
let open = "";
child.stdout.setEncoding("utf8").on("data", (chunk) => {
  const lines = (open + chunk).split("\n");
  open = lines.pop();
  for (const line of lines) {
    const { id, result } = JSON.parse(line);
    pending.get(id)(result);
    pending.delete(id);
  }
});
let next = 0;
await makeTrips(mode, Number(count), (method, params) => {
  const id = next++;
  return new Promise((resolve) => {
    pending.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  });
});
child.kill();
report();

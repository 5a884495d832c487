// Reads from an Inbox and waits 5 s at the first item, to see how much memory accumulates.
import { setTimeout as wait } from "node:timers/promises";
import { Inbox, openProcess, Peer } from "../lib.mjs";
import { producer, report } from "../measure.mjs";

const count = Number(process.argv[2]);
const channel = await openProcess({
  command: process.execPath,
  args: [producer("updates"), count],
});
const inbox = new Inbox(() => peer.hold());
const peer = new Peer(channel, {
  handlers: { notification: (_method, params, size) => inbox.push(params, size) },
});
void peer.closed.then(() => inbox.end());
let seen = 0;
let stalledRssMb = 0;
for await (const _ of inbox) {
  if (seen++ > 0) continue;
  await wait(5000);
  stalledRssMb = process.memoryUsage().rss / 2 ** 20;
}
report({ seen, stalledRssMb });

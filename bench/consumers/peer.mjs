// Our peer over a process channel.
import { openProcess, Peer } from "../lib.mjs";
import { producer, report } from "../measure.mjs";

const [name, expected, ...args] = process.argv.slice(2);
const channel = await openProcess({
  command: process.execPath,
  args: [producer(name), expected, ...args],
});
let seen = 0;
const peer = new Peer(channel, {
  handlers: {
    notification() {
      seen++;
    },
  },
});
await peer.closed;
report({ seen });

// Our peer over a process channel.
import { openProcess, Peer } from "../lib.mjs";
import { producer, report } from "../measure.mjs";
import { makeTrips } from "../trips.mjs";

const [mode, count] = process.argv.slice(2);
const peer = new Peer(await openProcess({ command: process.execPath, args: [producer("echo")] }));
await makeTrips(mode, Number(count), (method, params) => peer.call(method, params));
report();

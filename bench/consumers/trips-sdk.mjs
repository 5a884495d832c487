// The official SDK's client.
import { Readable, Writable } from "node:stream";
import { client, ndJsonStream } from "@agentclientprotocol/sdk";
import { report, start } from "../measure.mjs";
import { makeTrips } from "../trips.mjs";

const [mode, count] = process.argv.slice(2);
const child = start("echo");
const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
const { agent } = client({ name: "bench" }).connect(stream);
await makeTrips(mode, Number(count), (method, params) => agent.request(`_${method}`, params));
child.kill();
report();

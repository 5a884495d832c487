// The official SDK's client with a handler that waits 5 s.
import { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { report, start } from "../measure.mjs";

const count = Number(process.argv[2]);
const child = start("updates", count);
let seen = 0;
const app = client({ name: "bench" }).onNotification(methods.client.session.update, async () => {
  seen++;
  await wait(5000);
});
app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const timer = setInterval(() => {
  if (seen < count) return;
  clearInterval(timer);
  report({ seen, stalledRssMb: process.memoryUsage().rss / 2 ** 20 });
}, 50);

// The official SDK's client, with the one handler it needs.
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import { report, start } from "../measure.mjs";

const [name, expected, ...args] = process.argv.slice(2);
const child = start(name, expected, ...args);
let seen = 0;
const app = client({ name: "bench" }).onNotification(methods.client.session.update, () => {
  seen++;
});
app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
const timer = setInterval(() => {
  if (seen < Number(expected)) return;
  clearInterval(timer);
  report({ seen });
}, 5);

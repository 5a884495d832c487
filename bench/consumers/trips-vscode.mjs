// vscode-jsonrpc, with its own Content-Length framing.
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { report, start } from "../measure.mjs";
import { makeTrips } from "../trips.mjs";

const [mode, count] = process.argv.slice(2);
const child = start("echo", "content-length");
const connection = createMessageConnection(
  new StreamMessageReader(child.stdout),
  new StreamMessageWriter(child.stdin),
);
connection.listen();
await makeTrips(mode, Number(count), (method, params) => connection.sendRequest(method, params));
child.kill();
report();

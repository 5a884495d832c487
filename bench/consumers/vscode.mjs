// vscode-jsonrpc, with its own Content-Length framing.
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { report, start } from "../measure.mjs";

const [name, expected, ...args] = process.argv.slice(2);
const child = start(name, expected, ...args, "content-length");
let seen = 0;
const connection = createMessageConnection(
  new StreamMessageReader(child.stdout),
  new StreamMessageWriter(child.stdin),
);
connection.onNotification("session/update", () => {
  seen++;
  if (seen === Number(expected)) report({ seen });
});
connection.listen();

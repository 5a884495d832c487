// A host process for tests that kill it. It starts the given command through the library and prints its
// lines.
//
//   node host.mjs <URL of the bundled library> <process options as JSON>
import { argv, stdout } from "node:process";

const { openProcess } = await import(argv[2]);
const channel = await openProcess(JSON.parse(argv[3]));
channel.open((line) => stdout.write(`${line}\n`));
setInterval(() => {}, 60_000);

// A host: starts the command it is given through the library and shows its lines. It is made to be
// killed.
//
//   node host.mjs <the library, bundled> <process options as JSON>
import { argv, stdout } from "node:process";

const { openProcess } = await import(argv[2]);
const channel = await openProcess(JSON.parse(argv[3]));
channel.open((line) => stdout.write(`${line}\n`));
setInterval(() => {}, 60_000);

// An agent on its own stdin and stdout. For a number, it sends that many long lines without waiting. For
// "count", it prints to stderr how many lines it has read. "close" makes it send "bye" and close.
//
//   node stdio-agent.mjs <URL of the bundled library>
import { argv, exit, stderr } from "node:process";

const { stdioChannel } = await import(argv[2]);
const channel = stdioChannel();
let read = 0;
channel.open((line) => {
  read++;
  if (line === "count") stderr.write(`read ${read}\n`);
  else if (line === "close") void channel.send("bye").then(() => channel.close());
  else for (let n = 0; n < Number(line); n++) void channel.send(`${n} ${"x".repeat(1000)}`);
});
const reason = await channel.closed;
stderr.write(`closed: ${reason.kind}\n`);
if (reason.kind === "failed") exit(3);

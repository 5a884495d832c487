// The minimum for a relay: parse each line of either side, and write it again, with one write per read.
import { start } from "../measure.mjs";

const agent = start("client-agent", ...process.argv.slice(2));

function relay(from, to) {
  let rest = "";
  from.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    let batch = "";
    for (const line of lines) batch += `${JSON.stringify(JSON.parse(line))}\n`;
    if (batch === "" || to.write(batch)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.on("end", () => to.end());
}

relay(process.stdin, agent.stdin);
relay(agent.stdout, process.stdout);

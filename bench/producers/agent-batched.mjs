// Faster than the baseline: JSON.stringify, and one write per 256 updates.
import { once } from "node:events";
import { measure, plainAgent, update } from "./agent-report.mjs";

const count = Number(process.argv[2]);
const LINES_PER_WRITE = 256;
plainAgent(async () => {
  const done = measure();
  for (let i = 0; i < count;) {
    let batch = "";
    for (let n = 0; n < LINES_PER_WRITE && i < count; n++)
      batch += `${JSON.stringify(update(i++))}\n`;
    if (!process.stdout.write(batch)) await once(process.stdout, "drain");
  }
  process.stdout.write("", done);
});

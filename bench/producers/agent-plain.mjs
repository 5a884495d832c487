// The baseline: JSON.stringify and one write per update.
import { once } from "node:events";
import { measure, plainAgent, update } from "./agent-report.mjs";

const count = Number(process.argv[2]);
plainAgent(async () => {
  const done = measure();
  for (let i = 0; i < count; i++) {
    if (!process.stdout.write(`${JSON.stringify(update(i))}\n`))
      await once(process.stdout, "drain");
  }
  process.stdout.write("", done);
});

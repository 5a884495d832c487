import { expect, it } from "vitest";
import { chaos } from "./chaos/run.ts";
import { seed } from "../../support/soak.ts";

it("keeps every promise of a fleet while its processes are killed", async () => {
  const report = await chaos({ demoSessions: 40, droidSessions: 2, kills: 15, seed });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  expect(report.done).toBeGreaterThan(0);
}, 600_000);

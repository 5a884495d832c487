import { expect, it } from "vitest";
import { seed, soak } from "../../support/soak.ts";
import { chaos } from "./chaos/run.ts";

// `npm run test:all -- fleet` has the short run.
it.skipIf(!soak)(
  "keeps every promise of a fleet during 100 kills",
  async () => {
    const report = await chaos({ demoSessions: 200, droidSessions: 20, kills: 100, seed });
    process.stdout.write(`${JSON.stringify(report)}\n`);
    expect(report.done).toBeGreaterThan(0);
  },
  7_200_000,
);

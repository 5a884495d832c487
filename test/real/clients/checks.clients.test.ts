import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, it } from "vitest";
import { bundleOf, type Bundle } from "../../support/agents/bundle.ts";
import { builtBins } from "./bins.ts";
import { checkOne, clientsToCheck } from "./checks.ts";

const bins = builtBins();
let library: Bundle | undefined;
beforeAll(async () => {
  library = await bundleOf("test/support/check/library-client.ts");
});
afterAll(() => library?.remove());

for (const client of clientsToCheck) {
  const { name, version } = client;
  it.concurrent(`${name} is checked`, { timeout: 900_000 }, async ({ task, expect }) => {
    const built = { dragoman: bins.dragoman, library: fileURLToPath(library?.url ?? "") };
    const report = await checkOne(client, built);
    task.meta.clientCheck = { name, version, report };
    expect(report.summary).toMatchObject({ fault: 0 });
    expect(report.summary.problem).toBeUndefined();
    const broken = report.results.filter(
      ({ status }) => status === "failed" || status === "unstable",
    );
    if (client.isOurs) expect(broken).toEqual([]);
  });
}

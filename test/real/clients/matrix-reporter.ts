import type { Reporter, TestModule } from "vitest/node";
import { writeInteropSection } from "../../support/doc-section.ts";
import { npmClients, otherClients } from "./clients.ts";
import { clientsToCheck } from "./checks.ts";
import { renderChecks, renderClients, type Cell, type CheckedClient } from "./page.ts";

/** Writes the clients of docs/interop.md from the outcomes that the tests recorded. */
export default class MatrixReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const cells = modules.flatMap(cellsOf);
    for (const [section, clients] of [
      ["clients", npmClients],
      ["other-clients", otherClients],
    ] as const) {
      const text = renderClients(clients, cells);
      if (text !== undefined) await writeInteropSection(section, text);
      else console.log(`docs/interop.md keeps its ${section}, because not all ran and passed`);
    }
    const checked = modules.flatMap(checkedOf);
    if (checked.length === clientsToCheck.length) {
      await writeInteropSection("client-checks", renderChecks(checked));
    } else console.log("docs/interop.md keeps its client-checks, because not all ran and passed");
  }
}

/** The reports of the tests that passed. */
function checkedOf(module: TestModule): readonly CheckedClient[] {
  return [...module.children.allTests()]
    .filter((test) => test.result().state === "passed")
    .flatMap((test) => test.meta().clientCheck ?? []);
}

/** The cells of the tests that passed. A test that a client does not offer is skipped and has cells too. */
function cellsOf(module: TestModule): readonly Cell[] {
  const tests = [...module.children.allTests()];
  return tests
    .filter((test) => test.result().state !== "failed")
    .flatMap((test) => test.meta().clients ?? []);
}

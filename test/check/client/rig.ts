import { readFile } from "node:fs/promises";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import { checkClient, parseDriver, type CheckReport } from "../../../src/check/index.ts";
import { bundleOf, type Bundle } from "../../support/agents/bundle.ts";

const folder = new URL("../../support/check/", import.meta.url);

/** Runs checks of the client in test/support/check. */
export interface ClientRig {
  /** Checks the client with a defect. `ids` are the requirements; default: all. */
  check(
    defect: string,
    options?: { readonly ids?: readonly string[]; readonly protocol?: 1 | 2 },
  ): Promise<CheckReport>;
}

/** Bundles the checking agent once per test file. */
export function clientRig(): ClientRig {
  let relay: Bundle | undefined;
  beforeAll(async () => {
    relay = await bundleOf("test/support/check/relay.ts");
  });
  afterAll(() => relay?.remove());
  return {
    check: async (defect, { ids, protocol = 1 } = {}) => {
      const driver = parseDriver(
        JSON.parse(await readFile(new URL("client-driver.json", folder), "utf8")),
      );
      const client = fileURLToPath(new URL("client.mjs", folder));
      return checkClient({
        client: {
          command: execPath,
          args: [client, "--agent", "{agent}", "--defect", defect, "--protocol", String(protocol)],
          driver,
          agentCommand: [execPath, fileURLToPath(relay?.url ?? "")],
        },
        protocol,
        ids: ids && new Set(ids),
        floorMs: 1000,
        slowMs: 200,
        repeats: false,
      });
    },
  };
}

/** The results that are neither passed, untested nor skipped, in a few words. */
export function violations({ results }: CheckReport): readonly string[] {
  return results
    .filter(({ status }) => ["failed", "unstable", "fault"].includes(status))
    .map(
      ({ id, status, expected, actual, reason }) =>
        `${id} ${status}: ${expected}; ${actual}; ${reason ?? ""}`,
    );
}

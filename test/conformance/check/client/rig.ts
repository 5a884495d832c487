import { readFile } from "node:fs/promises";
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll } from "vitest";
import {
  checkClient,
  parseDriver,
  type CheckReport,
  type ClientCheckOptions,
} from "../../../../src/conformance/check/index.ts";
import { bundleOf, type Bundle } from "../../../support/agents/bundle.ts";

const folder = new URL("../../../support/check/", import.meta.url);

/** Settings of a check that a test chooses. */
export type RigOptions = Pick<
  ClientCheckOptions,
  "protocol" | "repeats" | "floorMs" | "firstMs" | "jobs"
> & {
  /** The requirements. Default: all. */
  readonly ids?: readonly string[] | undefined;
};

/** Bundles the checking agent, and the client made with the library, once per test file. */
export function clientRig() {
  let bundles: readonly Bundle[] = [];
  beforeAll(async () => {
    bundles = [
      await bundleOf("test/support/check/relay.ts"),
      await bundleOf("test/support/check/library-client.ts"),
    ];
  });
  afterAll(async () => {
    for (const bundle of bundles) await bundle.remove();
  });
  const file = (index: number): string => fileURLToPath(bundles[index]?.url ?? "");
  const check = async (args: readonly string[], options: RigOptions = {}): Promise<CheckReport> => {
    const { ids, protocol = 1, floorMs = 1000, repeats = false, firstMs, jobs } = options;
    const json: unknown = JSON.parse(await readFile(new URL("client-driver.json", folder), "utf8"));
    return checkClient({
      client: {
        command: execPath,
        args: [...args, "--agent", "{agent}", "--protocol", String(protocol)],
        driver: parseDriver(json),
        agentCommand: [execPath, file(0)],
      },
      protocol,
      ids: ids && new Set(ids),
      floorMs,
      slowMs: 200,
      repeats,
      firstMs,
      jobs,
    });
  };
  const program = (name: string): string => fileURLToPath(new URL(name, folder));
  const client = program("client.mjs");
  return {
    /** Checks client.mjs with a defect. `none` is the client that keeps every rule. */
    defect: (name: string, options?: RigOptions) => check([client, "--defect", name], options),
    /** Checks hostile-client.mjs. */
    hostile: (mode: string, options?: RigOptions) =>
      check([program("hostile-client.mjs"), mode], options),
    /** Checks client.mjs without a defect, which sends three prompts in each run. */
    talkative: (options: RigOptions) => check([client, "--prompts", "3"], options),
    /** Checks the client that is made with the library. */
    library: (options: RigOptions) => check([file(1)], options),
    /** Checks client.mjs, whose prompts are this text. */
    prompted: (text: string, count = 1) =>
      check([client, text, "--allow", "--prompts", String(count)]),
    /** Checks a program that is not a client. */
    nothing: () => check(["-e", "", "--"]),
  };
}

/** The results that did not pass, in a few words. */
export function notPassed({ results }: CheckReport): readonly string[] {
  return results
    .filter(({ status }) => status !== "passed")
    .map(
      ({ id, status, expected, actual, reason }) =>
        `${id} ${status}: ${expected}; ${actual}; ${reason ?? ""}`,
    );
}

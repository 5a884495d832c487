import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  checkClient,
  parseDriver,
  type CheckReport,
} from "../../../src/conformance/check/index.ts";
import { modulesOf, node24, programFile } from "./program.ts";

/** The programs that a run has built. */
export interface BuiltPrograms {
  readonly dragoman: string;
  /** test/support/check/library-client.ts. */
  readonly library: string;
}

/** A client that `dragoman check client` checks. */
export interface ClientToCheck {
  readonly name: string;
  readonly version: string;
  /** Whether it is ours, and must break no rule. */
  readonly isOurs: boolean;
  /** Its driver file. */
  readonly driver: string;
  readonly command: (built: BuiltPrograms) => readonly [string, ...string[]];
}

const { execPath } = process;

export const clientsToCheck: readonly ClientToCheck[] = [
  {
    name: "dragoman",
    version: "this one",
    isOurs: true,
    driver: "drivers/dragoman.json",
    command: ({ dragoman }) => [execPath, dragoman, "--agent-command", "{agent}", "hello"],
  },
  {
    name: "our library",
    version: "this one",
    isOurs: true,
    driver: "../../support/check/client-driver.json",
    command: ({ library }) => [execPath, library, "--agent", "{agent}"],
  },
  {
    name: "official SDK",
    version: "2.4.0",
    isOurs: false,
    driver: "drivers/official-sdk.json",
    command: () => [
      execPath,
      programFile("check-sdk.mjs"),
      modulesOf("sdk-newest"),
      "--agent",
      "{agent}",
    ],
  },
  {
    name: "acpx",
    version: "0.19.1",
    isOurs: false,
    driver: "drivers/acpx.json",
    command: () => [
      join(modulesOf("acpx"), node24),
      join(modulesOf("acpx"), "acpx/dist/cli.js"),
      "--agent",
      "{agent}",
      "{driver}",
      "exec",
      "hello",
    ],
  },
  {
    name: "acp-ai-provider",
    version: "0.2.9",
    isOurs: false,
    driver: "drivers/acp-ai-provider.json",
    command: () => [
      execPath,
      programFile("check-ai-provider.mjs"),
      modulesOf("acp-ai-provider"),
      "--agent",
      "{agent}",
    ],
  },
];

/** Checks a client with all its requirements. */
export async function checkOne(client: ClientToCheck, built: BuiltPrograms): Promise<CheckReport> {
  const driver = fileURLToPath(new URL(client.driver, import.meta.url));
  const [command, ...args] = client.command(built);
  return checkClient({
    // Most cases wait for a limit of the client.
    jobs: 6,
    client: {
      name: client.name,
      command,
      args,
      driver: parseDriver(JSON.parse(await readFile(driver, "utf8"))),
      agentCommand: [execPath, built.dragoman, "check-agent"],
    },
  });
}

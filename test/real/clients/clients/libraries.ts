// Libraries: a program in `programs` drives each of them.
import { join } from "node:path";
import type { ForeignClient } from "../client.ts";
import { modulesOf, node24, programFile, runProgram } from "../program.ts";

type Library = Pick<ForeignClient, "name" | "version"> & {
  readonly notOffered?: ForeignClient["notOffered"];
  readonly remarks?: ForeignClient["remarks"];
  readonly folder: string;
  readonly package: string;
  /** Whether it does not run on Node 20. */
  readonly needsNode24?: boolean;
};

function library({
  folder,
  needsNode24 = false,
  notOffered = {},
  remarks = [],
  ...client
}: Library): ForeignClient {
  const modules = modulesOf(folder);
  const node = needsNode24 ? join(modules, node24) : process.execPath;
  return {
    ...client,
    notOffered,
    remarks,
    source: `\`${client.package}\``,
    install: { folder, package: client.package, executables: needsNode24 ? [node24] : [] },
    run: (agent, steps) =>
      runProgram([node, programFile(`${folder}.mjs`)], agent, { steps, modules }),
  };
}

export const oldestSdk = library({
  name: "oldest SDK",
  folder: "sdk-oldest",
  package: "@zed-industries/agent-client-protocol",
  version: "0.1.2",
});

export const newestSdk = library({
  name: "newest SDK",
  folder: "sdk-newest",
  package: "@agentclientprotocol/sdk",
  version: "2.4.0",
});

export const useAcp = library({
  name: "use-acp",
  folder: "use-acp",
  package: "use-acp",
  version: "0.2.6",
  needsNode24: true,
  remarks: [
    "A React hook that talks to a WebSocket. The test connects the agent's stdin and stdout to one.",
  ],
});

export const acpAiProvider = library({
  name: "acp-ai-provider",
  folder: "acp-ai-provider",
  package: "@mcpc-tech/acp-ai-provider",
  version: "0.2.9",
  notOffered: {
    deny: "it answers every permission request with the first option",
    cancel: "it ignores the abort signal and never sends `session/cancel`",
  },
});

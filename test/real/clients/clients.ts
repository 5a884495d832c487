import type { ForeignClient } from "./client.ts";
import { acpx } from "./clients/acpx.ts";
import { acpEl, codeCompanion, pythonSdk } from "./clients/editors.ts";
import { acpAiProvider, newestSdk, oldestSdk, useAcp } from "./clients/libraries.ts";
import { newestExample, oldestExample } from "./clients/sdk-example.ts";

/** Clients from npm. A run installs them. */
export const npmClients: readonly ForeignClient[] = [
  acpx,
  oldestExample,
  newestExample,
  oldestSdk,
  newestSdk,
  useAcp,
  acpAiProvider,
];

/** Clients that have to be installed by hand. */
export const otherClients: readonly ForeignClient[] = [pythonSdk, acpEl, codeCompanion];

export const clients: readonly ForeignClient[] = [...npmClients, ...otherClients];

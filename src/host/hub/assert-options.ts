import { type OptionNames, optionsFault } from "../../base/index.ts";
import type { HubOptions } from "./options.ts";
import type { ServeHubOptions } from "./serve/options.ts";

export const SERVE_OPTIONS: OptionNames<ServeHubOptions> = {
  agents: true,
  tokens: true,
  host: true,
  port: true,
  tls: true,
  isInsecureAllowed: true,
  hostNames: true,
  origins: true,
  hub: true,
  roots: true,
  graceMs: true,
  maxConnections: true,
  headersMs: true,
  reloadMs: true,
  limits: true,
  onEvent: true,
};

export const HUB_OPTIONS: OptionNames<HubOptions> = {
  log: true,
  policy: true,
  onUnjudged: true,
  capabilities: true,
  checkOpen: true,
  owners: true,
  folderName: true,
  onEvent: true,
  limits: true,
};

/** Throws a TypeError for anything but an object with these options. */
export function assertOptions(given: unknown, names: object, where: string): void {
  const fault = optionsFault(given, names, where);
  if (fault !== undefined) throw new TypeError(fault);
}

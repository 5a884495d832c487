import { type OptionNames, optionsFault } from "../base/index.ts";
import { DroidError } from "./errors.ts";
import type { DroidProcessOptions, NewDroidSessionOptions } from "./options.ts";

const START_OPTIONS: OptionNames<DroidProcessOptions & NewDroidSessionOptions> = {
  onPermission: true,
  onAskUser: true,
  logger: true,
  hooks: true,
  executable: true,
  cwd: true,
  env: true,
  apiKey: true,
  args: true,
  tap: true,
  stages: true,
  mcpServers: true,
  sessionId: true,
  machineId: true,
  systemPrompt: true,
  tags: true,
  model: true,
  reasoningEffort: true,
  autonomy: true,
  interactionMode: true,
  specModel: true,
  specReasoningEffort: true,
  additionalTools: true,
  disabledTools: true,
  restrictTools: true,
  signal: true,
};

/**
 * Throws a DroidError (`invalid_argument`) for anything but options of `DroidClient.start`, which has
 * those of `DroidClient.load` too.
 */
export function assertOptions(given: unknown, where: string): void {
  const fault = optionsFault(given, START_OPTIONS, where);
  if (fault !== undefined) throw new DroidError("invalid_argument", fault);
}

import type { DroidProcessOptions, NewDroidSessionOptions } from "../options.ts";
import { capabilitiesOf } from "../protocol/versions.ts";
import { waitFor, type WaitOptions } from "../wait.ts";
import { writeInstructions } from "./instructions-file.ts";
import { findExecutable, readVersion } from "./executable.ts";
import { environmentOf, type PreparedProcess } from "./prepared.ts";

type StartOptions = DroidProcessOptions & NewDroidSessionOptions;

/** Options for the process and the session, and what to do when the session is open. */
interface AdaptedOptions {
  readonly options: StartOptions;
  readonly clean: () => Promise<void>;
}

/** Starts Droid and opens a new session. */
export async function startSession<Client>(
  given: StartOptions,
  prepare: (options: DroidProcessOptions) => Promise<PreparedProcess<Client>>,
  wait: WaitOptions,
): Promise<Client> {
  const { options, clean } = await adaptInstructions(given, wait);
  try {
    const prepared = await prepare(options);
    return await prepared.start(options, {}, wait);
  } finally {
    await clean();
  }
}

/** Versions without a system prompt per session append instructions by an argument of the process. */
async function adaptInstructions(
  options: StartOptions,
  wait: WaitOptions,
): Promise<AdaptedOptions> {
  const { systemPrompt } = options;
  const unchanged = { options, clean: () => Promise.resolve() };
  if (typeof systemPrompt !== "object") return unchanged;
  const env = environmentOf(options);
  const command = await waitFor(() => findExecutable(options.executable, env), wait);
  const cli = await waitFor(() => readVersion(command, env), wait);
  if (capabilitiesOf({ cli, protocol: undefined }).systemPrompt) return unchanged;
  const { args: more, remove } = await writeInstructions(systemPrompt.append);
  const args = [...(options.args ?? []), ...more];
  return { options: { ...options, args, systemPrompt: undefined }, clean: remove };
}

import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { CredentialsError, ExposedAddressError, serveHub } from "../../../host/hub/index.ts";
import { writeAtomically, messageOf } from "../../../base/index.ts";
import { ListenError } from "../../../transport/wire/index.ts";
import type { ParsedCommandLine } from "../shell/parse.ts";
import { timeOption } from "../shell/option-values.ts";
import { EXIT, type ExitCode, usageError } from "../shell/exit.ts";
import { openInspection } from "../inspect/inspection.ts";
import type { Context } from "../context/context.ts";
import { serveOptions } from "./options.ts";

/** How long running turns may take after the first signal. */
const DRAIN_MS = 60_000;

/** Serves agents until a signal arrives, and then until running turns have ended. Throws a CliError. */
export async function runServer(context: Context, parsed: ParsedCommandLine): Promise<ExitCode> {
  const { renderer } = context;
  const prepared = await serveOptions(context, parsed);
  try {
    await openInspection(context, prepared.agents.join(", "));
    const server = await serveHub(prepared.options).catch((error: unknown) => {
      throw serveFailure(error);
    });
    try {
      for (const note of prepared.notes(server)) renderer.note(note);
      return await runUntilSignal(context, server, server.port);
    } finally {
      await server.close();
    }
  } finally {
    await context.inspector?.close();
    await prepared.close();
  }
}

/** Something that can end in two ways. */
interface Drainable {
  drain(ms: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Runs a server until signals end it: the first one drains it, within `--drain-timeout`, and the second ends
 * it. The file of `--port-file` has its port meanwhile. Throws the interruption after a second signal.
 */
export async function runUntilSignal(
  context: Context,
  server: Drainable,
  port: number | undefined,
): Promise<ExitCode> {
  const { values, interrupts } = context;
  const drainMs = timeOption(values, "drain-timeout") ?? DRAIN_MS;
  const removePortFile = port === undefined ? undefined : await writePortFile(context, port);
  const isForced = await new Promise<boolean>((done) => {
    let isSecond = false;
    interrupts.listen({
      first: () => void server.drain(drainMs).then(() => done(isSecond)),
      second: () => {
        isSecond = true;
        void server.close();
      },
    });
  });
  await removePortFile?.();
  const interrupted = interrupts.error();
  if (isForced && interrupted !== undefined) throw interrupted;
  return EXIT.done;
}

/** An error of a server as a usage error. Other errors stay as they are. */
export function serveFailure(error: unknown): unknown {
  if (error instanceof ExposedAddressError) {
    return usageError(
      `${error.address} can be reached from other machines, and tokens would travel unencrypted`,
      "--tls-cert FILE --tls-key FILE, or --insecure behind a proxy that encrypts",
    );
  }
  if (error instanceof CredentialsError) return usageError(`--tls-cert: ${error.message}`);
  if (error instanceof ListenError) return usageError(error.message, "another --listen HOST:PORT");
  return error;
}

/** Writes the file of `--port-file`. Returns a function that removes it again. */
async function writePortFile({ io, values }: Context, port: number): Promise<() => Promise<void>> {
  const file = values.text("port-file");
  if (file === undefined) return () => Promise.resolve();
  const path = resolve(io.cwd, file);
  await writeAtomically(path, `${port}\n`).catch((error: unknown) => {
    throw usageError(`could not write --port-file ${file}: ${messageOf(error)}`);
  });
  return () => rm(path, { force: true });
}

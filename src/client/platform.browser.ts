import { isAbsolutePath } from "../protocol/acp/index.ts";
import type { CommandLine, ExitStatus } from "../base/index.ts";
import type { Channel, ProcessOptions } from "../transport/wire/index.ts";
import { InvalidArgumentError } from "./errors.ts";
import type { RunInTerminalOptions } from "./platform.ts";

/** Rejects with InvalidArgumentError: this runtime cannot start processes. */
export async function openCommand({ command }: ProcessOptions): Promise<Channel> {
  throw new InvalidArgumentError(
    `this runtime cannot start processes such as "${command}": pass a channel to a running agent`,
  );
}

/** Returns an absolute path unchanged. Throws InvalidArgumentError for any other. */
export function absolutePath(path: string): string {
  const isAbsolute: boolean = isAbsolutePath(path);
  if (isAbsolute) return path;
  throw new InvalidArgumentError(
    `this runtime has no working folder: "${path}" must be an absolute path or a URL`,
  );
}

/** Rejects with InvalidArgumentError: this runtime has no terminal. */
export async function runInTerminal(
  _line: CommandLine,
  _options?: RunInTerminalOptions,
): Promise<ExitStatus> {
  throw new InvalidArgumentError("this runtime has no terminal to log in with");
}

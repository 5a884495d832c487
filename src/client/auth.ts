import type { AuthMethod } from "../protocol/acp/index.ts";
import type { CommandLine, ExitStatus } from "../base/index.ts";
import { InvalidArgumentError } from "./errors.ts";

/**
 * Runs a login command where the user can interact with it. Resolves with how it exited. Ends the
 * command when the signal is aborted.
 */
export type RunLogin = (
  command: CommandLine,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<ExitStatus>;

/** Finds the login method with this id. Throws InvalidArgumentError if the agent does not offer it. */
export function authMethod(methods: readonly AuthMethod[], id: string): AuthMethod {
  const method = methods.find((candidate) => candidate.id === id);
  if (method) return method;
  const offered = methods.map((offer) => offer.id).join(", ") || "none";
  throw new InvalidArgumentError(
    `the agent does not offer the login "${id}"; it offers: ${offered}`,
  );
}

/** Whether a method is a command to run. Such a method must never be sent to `authenticate`. */
export function isTerminalMethod(
  method: AuthMethod,
): method is Extract<AuthMethod, { type: "terminal" }> {
  return "type" in method && method.type === "terminal";
}

/** Finds a login method that is a command. Throws InvalidArgumentError if there is no such method. */
export function terminalMethod(
  methods: readonly AuthMethod[],
  id: string,
): Extract<AuthMethod, { type: "terminal" }> {
  const method = authMethod(methods, id);
  if (isTerminalMethod(method)) return method;
  throw new InvalidArgumentError(`the login "${id}" is not a terminal login; use authenticate`);
}

/** The command to run for a login: the agent's own, plus the method's arguments and variables. */
export function loginCommand(
  agent: CommandLine,
  method: Extract<AuthMethod, { type: "terminal" }>,
): CommandLine {
  return {
    command: agent.command,
    args: [...(agent.args ?? []), ...(method.args ?? [])],
    ...(agent.cwd === undefined ? {} : { cwd: agent.cwd }),
    env: { ...agent.env, ...method.env },
  };
}

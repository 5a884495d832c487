import { definedFields, isStringList, type JsonObject } from "../../../base/index.ts";
import { ProtocolViolation } from "../errors.ts";
import { type Meta, metaOf } from "../meta.ts";
import { isObject, stringOr } from "./guards.ts";
import { requiredId, requiredText, resultObject } from "./agent-results.ts";
import type { ElicitationContentValue } from "../types.ts";

/*
 * Readers for the results of clients. They work like those in `agent-results.ts`.
 */

export type PermissionOutcome = (
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string }
) & {
  /** The `_meta` of the answer, with that of its outcome merged over it. */
  readonly meta?: Meta | undefined;
};

/** How a command ended. One field is `null`: a command exits with a code or dies from a signal. */
export interface TerminalExit {
  /** The exit code; null if a signal ended the command. */
  readonly exitCode: number | null;
  /** The name of the signal that ended the command; null if it exited by itself. */
  readonly signal: string | null;
  /** The `_meta` of the status. */
  readonly meta?: Meta | undefined;
}

/** The output of a command, as far as the client kept it. */
export interface TerminalOutput {
  /** The text, stdout and stderr together. */
  readonly output: string;
  /** Whether the client dropped the beginning of the output. */
  readonly truncated: boolean;
  /** Undefined while the command runs. */
  readonly exitStatus: TerminalExit | undefined;
}

/** The answer of the user to a form. */
export type ElicitationAnswer = (
  | {
      readonly action: "accept";
      /** The values that the user entered, by the names of the fields. */
      readonly content: { readonly [key: string]: ElicitationContentValue };
    }
  | { readonly action: "decline" }
  | { readonly action: "cancel" }
) & {
  /** The `_meta` of the answer. */
  readonly meta?: Meta | undefined;
};

/**
 * Reads the result of `session/request_permission`. Throws on an outcome that v1 does not have: an
 * unknown outcome must never count as consent, and callers must not take it for a denial by the user.
 */
export function readPermissionResult(result: unknown): PermissionOutcome {
  const method = "session/request_permission";
  const given = resultObject(method, result)["outcome"];
  if (!isObject(given)) throw new ProtocolViolation(method, "outcome", "an object", given);
  const outcome = given["outcome"];
  const meta = definedFields({ meta: mergedMeta(metaOf(result), metaOf(given)) });
  if (outcome === "cancelled") return { outcome, ...meta };
  if (outcome !== "selected") {
    throw new ProtocolViolation(
      method,
      "outcome.outcome",
      '"selected" or "cancelled"',
      given["outcome"],
    );
  }
  const optionId = given["optionId"];
  if (typeof optionId !== "string") {
    throw new ProtocolViolation(method, "outcome.optionId", "a string", optionId);
  }
  return { outcome, optionId, ...meta };
}

function mergedMeta(first: Meta | undefined, second: Meta | undefined): Meta | undefined {
  return first && second ? { ...first, ...second } : (first ?? second);
}

/** Reads the result of `fs/read_text_file`. Throws if `content` is not a string. */
export function readFileResult(result: unknown): string {
  const method = "fs/read_text_file";
  return requiredText(method, resultObject(method, result), "content");
}

/** Reads the terminal id from the result of `terminal/create`. Throws if there is none. */
export function readCreateTerminalResult(result: unknown): string {
  const method = "terminal/create";
  return requiredId(method, resultObject(method, result), "terminalId");
}

/** Reads the result of `terminal/output`. Throws if `output` or `truncated` is malformed. */
export function readTerminalOutputResult(result: unknown): TerminalOutput {
  const method = "terminal/output";
  const raw = resultObject(method, result);
  const truncated = raw["truncated"];
  const status = raw["exitStatus"];
  const output = requiredText(method, raw, "output");
  if (typeof truncated !== "boolean") {
    throw new ProtocolViolation(method, "truncated", "a boolean", truncated);
  }
  return { output, truncated, exitStatus: isObject(status) ? exitStatus(status) : undefined };
}

/** Reads the result of `terminal/wait_for_exit`. Throws if it is not an object. */
export function readExitResult(result: unknown): TerminalExit {
  return exitStatus(resultObject("terminal/wait_for_exit", result));
}

function exitStatus(raw: JsonObject): TerminalExit {
  const code = raw["exitCode"];
  return {
    exitCode: typeof code === "number" ? code : null,
    signal: stringOr(raw["signal"]) ?? null,
    ...definedFields({ meta: metaOf(raw) }),
  };
}

function isAnswerValue(value: unknown): value is ElicitationContentValue {
  return (
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    isStringList(value)
  );
}

/** Reads the result of `elicitation/create`. Throws on an unknown action or a malformed value. */
export function readElicitationResult(result: unknown): ElicitationAnswer {
  const method = "elicitation/create";
  const raw = resultObject(method, result);
  const action = raw["action"];
  const meta = definedFields({ meta: metaOf(raw) });
  if (action === "decline" || action === "cancel") return { action, ...meta };
  if (action !== "accept") {
    throw new ProtocolViolation(method, "action", '"accept", "decline" or "cancel"', action);
  }
  const given = raw["content"] ?? {};
  if (!isObject(given)) throw new ProtocolViolation(method, "content", "an object", given);
  const content: [string, ElicitationContentValue][] = [];
  for (const [key, value] of Object.entries(given)) {
    if (!isAnswerValue(value)) {
      const expected = "a string, number, boolean or array of strings";
      throw new ProtocolViolation(method, `content.${key}`, expected, value);
    }
    content.push([key, value]);
  }
  return { action, content: Object.fromEntries(content), ...meta };
}

import { resolve } from "node:path";
import type { PermissionChoice } from "../../../protocol/acp/index.ts";
import type { PermissionRequest } from "../../../client/index.ts";
import {
  type PermissionRule,
  readRules,
  RulesError,
  type RulesFile,
} from "../../../client/rules/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import { usageError } from "../shell/exit.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { PermissionPolicy } from "./policy.ts";
import type { DiffText } from "../render/text/diff-colours.ts";
import type { Context } from "../context/context.ts";

/** The permission policy made of the flags and rules of this run. Throws a usage error for an invalid rules file. */
export async function policyOf(context: Context): Promise<PermissionPolicy> {
  const { values, asker } = context;
  return {
    grants: {
      write: values.flag("write"),
      exec: values.flag("exec"),
      yolo: values.flag("yolo"),
    },
    rules: await rulesOf(context),
    canAsk: asker !== undefined,
  };
}

/** Allows only reading, for commands that send no prompt. */
export const READ_ONLY: PermissionPolicy = {
  grants: { write: false, exec: false, yolo: false },
  rules: [],
  canAsk: false,
};

async function rulesOf(context: Context): Promise<readonly PermissionRule[]> {
  return (await rulesFileOf(context))?.forFolder(context.cwd) ?? [];
}

/** The file of `--permissions`, if it was given. Throws a usage error if it is invalid. */
export async function rulesFileOf({
  values,
  io,
}: Pick<Context, "values" | "io">): Promise<RulesFile | undefined> {
  const file = values.text("permissions");
  if (file === undefined) return undefined;
  const limits = { maxBytes: MIB, what: "permissions file" };
  const text = (await readGivenFile(resolve(io.cwd, file), file, limits)).toString("utf8");
  try {
    return readRules(text, file, io);
  } catch (error) {
    throw error instanceof RulesError ? usageError(error.message) : error;
  }
}

/**
 * Shows everything that a request refers to: the updates before it, and the change that it asks for, which
 * some agents send only with the request. Never rejects.
 */
export async function showSubject(
  { shown, renderer }: Context,
  { toolCall, signal }: PermissionRequest,
): Promise<void> {
  await shown.caughtUp(signal);
  if (toolCall !== undefined && !signal.aborted) await renderer.toolCall?.(toolCall);
}

/** Lets the user choose an option; undefined if the user chose none. */
export async function askUser(
  { asker, style, renderer, clock, io, preferences }: Context,
  agent: SelectedAgent,
  request: PermissionRequest,
): Promise<PermissionChoice | undefined> {
  if (asker === undefined) return undefined;
  const [{ askPermission }, { showInPager }] = await Promise.all([
    import("./question.ts"),
    import("../tty/pager.ts"),
  ]);
  const display = {
    agent: agent.name,
    style,
    hasShown: (diff: DiffText): boolean => renderer.hasShown?.(diff) === true,
    page: (text: string, signal: AbortSignal) => showInPager({ io, preferences }, text, signal),
  };
  return clock.asking(() => askPermission(asker, request, display));
}

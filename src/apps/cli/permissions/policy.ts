import { resolve } from "node:path";
import { PERMISSION_CLASSES, type PermissionClass } from "../../../protocol/acp/index.ts";
import {
  applyRules,
  type PermissionRule,
  type RuleQuery,
  readRules,
  RulesError,
  type RulesFile,
} from "../../../client/rules/index.ts";
import { usageError } from "../shell/exit.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";

/** The permissions that the flags grant. In a chat, `/permissions` changes them. */
export interface FlagGrants {
  write: boolean;
  exec: boolean;
  yolo: boolean;
}

export interface PermissionPolicy {
  readonly grants: FlagGrants;
  readonly rules: readonly PermissionRule[];
  readonly canAsk: boolean;
}

export interface PolicyDecision {
  readonly decision: "allow" | "deny" | "ask";
  readonly by: "flag" | "rule" | "default";
  /** The flag that would have allowed it, or the reason why none would. Set only for a denial. */
  readonly hint: string | undefined;
}

/**
 * The flag that allows each class of tools inside the session's roots; undefined for a class that
 * needs none. Outside the roots, only `--yolo` allows anything.
 */
const FLAG_FOR: Readonly<Record<PermissionClass, "--write" | "--exec" | "--yolo" | undefined>> = {
  read: undefined,
  write: "--write",
  execute: "--exec",
  other: "--yolo",
};

/**
 * Decides about a request from the agent: first by the rules, then by the flags. The user is asked
 * about the rest. If that is not possible, only reading is allowed.
 */
export function decideByFlags(query: RuleQuery, policy: PermissionPolicy): PolicyDecision {
  const answer = applyRules(policy.rules, query);
  const undecided = policy.canAsk ? "ask" : "deny";
  if (answer !== undefined) {
    const decision = answer.decision === "ask" ? undecided : answer.decision;
    const rule = `rule ${answer.rule.number} of --permissions`;
    const why =
      answer.decision === "ask"
        ? `${rule} requires asking, which is not possible here`
        : `${rule} denies it`;
    return { decision, by: "rule", hint: decision === "deny" ? why : undefined };
  }
  const flag = query.isInside ? FLAG_FOR[PERMISSION_CLASSES[query.kind]] : "--yolo";
  const { yolo, write, exec } = policy.grants;
  if (yolo || (flag === "--write" && write) || (flag === "--exec" && exec)) {
    return { decision: "allow", by: "flag", hint: undefined };
  }
  if (policy.canAsk) return { decision: "ask", by: "default", hint: undefined };
  if (flag === undefined) return { decision: "allow", by: "default", hint: undefined };
  return { decision: "deny", by: "default", hint: flag };
}

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

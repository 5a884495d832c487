import type { ToolKind } from "../../../protocol/acp/index.ts";
import { type Decider, isSameDecider } from "./policy.ts";
import { isSameCommand, type LocatedCommand, type LocatedTargets } from "./targets.ts";

interface RememberedDecision extends LocatedTargets {
  readonly allow: boolean;
  /** True if it covers all work of its kind, not only its own targets. */
  readonly wholeKind: boolean;
  readonly optionId: string;
}

interface OneTimeGrant {
  readonly toolCallId: string;
  readonly kind: ToolKind;
  readonly path: string | undefined;
  readonly command: LocatedCommand | undefined;
}

/** New decisions replace the oldest, so that an agent cannot fill the memory of its host. */
const MAX_REMEMBERED = 1000;

/** A decision for all sessions with the same decider. */
interface AgentRule {
  readonly decider: Decider;
  readonly rule: RememberedDecision;
}

interface DecidedSession {
  readonly id: string;
  readonly access: { readonly decider: Decider };
}

/**
 * Earlier decisions: rules for a session or for the agent, and the targets of allowed tool calls. A
 * rule for the agent holds only where the same permissions apply to the same files and commands: a
 * session with permissions or providers of its own neither gets the rules of others nor sets them.
 */
export class PermissionMemory {
  readonly #agentRules: AgentRule[] = [];
  readonly #sessionRules = new Map<string, RememberedDecision[]>();
  readonly #grants = new Map<string, OneTimeGrant[]>();

  remember(
    scope: "session" | "agent",
    { id, access: { decider } }: DecidedSession,
    rule: RememberedDecision,
  ): void {
    if (scope === "agent") keep(this.#agentRules, { decider, rule });
    else keep(listOf(this.#sessionRules, id), rule);
  }

  /** The latest rule that covers the work. Rules for the session come before rules for the agent. */
  recall(
    { id, access: { decider } }: DecidedSession,
    work: LocatedTargets,
  ): RememberedDecision | undefined {
    const ofSession = this.#sessionRules.get(id)?.findLast((rule) => covers(rule, work));
    if (ofSession) return ofSession;
    return this.#agentRules.findLast(
      (known) => isSameDecider(known.decider, decider) && covers(known.rule, work),
    )?.rule;
  }

  /** Remembers that a tool call was allowed, so that its targets need no second question. */
  grant(sessionId: string, toolCallId: string, { kind, paths, commands }: LocatedTargets): void {
    const grants = listOf(this.#grants, sessionId);
    for (const path of paths) keep(grants, { toolCallId, kind, path, command: undefined });
    for (const command of commands) keep(grants, { toolCallId, kind, path: undefined, command });
  }

  /**
   * Returns true if an allowed tool call covers exactly this work. A write or a command uses up the
   * grant, but a file may be read in several parts. `isOpen` returns whether a call is still running.
   */
  useGrant(
    sessionId: string,
    work: LocatedTargets,
    isOpen: (toolCallId: string) => boolean,
  ): boolean {
    const grants = (this.#grants.get(sessionId) ?? []).filter((grant) => isOpen(grant.toolCallId));
    const index = grants.findIndex((grant) => permits(grant, work));
    if (index !== -1 && work.kind !== "read") grants.splice(index, 1);
    this.#grants.set(sessionId, grants);
    return index !== -1;
  }

  forget(sessionId: string): void {
    this.#sessionRules.delete(sessionId);
    this.#grants.delete(sessionId);
  }
}

/**
 * Pure: a rule with exact targets covers work that has at least one target and no others. An allow
 * rule for a whole kind covers only work inside the roots, because that is all its question offered.
 * No rule covers work whose targets are not all known.
 */
function covers(rule: RememberedDecision, work: LocatedTargets): boolean {
  if (rule.kind !== work.kind || !work.isComplete) return false;
  if (rule.wholeKind) return !rule.allow || work.isInside;
  if (work.paths.length + work.commands.length === 0) return false;
  return (
    work.paths.every((path) => rule.paths.includes(path)) &&
    work.commands.every((command) => rule.commands.some((known) => isSame(known, command)))
  );
}

/** The kinds of tool calls that, once allowed, permit reading, writing and running commands. */
const PERMITTING_KINDS: Partial<Record<ToolKind, readonly ToolKind[]>> = {
  read: ["read", "search", "edit"],
  edit: ["edit"],
  execute: ["execute"],
};

function permits(grant: OneTimeGrant, work: LocatedTargets): boolean {
  if (PERMITTING_KINDS[work.kind]?.includes(grant.kind) !== true) return false;
  const [path] = work.paths;
  const [command] = work.commands;
  if (command) return grant.command !== undefined && isSame(grant.command, command);
  return path !== undefined && grant.path === path;
}

function isSame(known: LocatedCommand, requested: LocatedCommand): boolean {
  if (known.cwd !== requested.cwd || known.env !== requested.env) return false;
  const [command, ...args] = requested.words ?? [requested.line ?? ""];
  return command !== undefined && isSameCommand(known, command, args);
}

function listOf<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > MAX_REMEMBERED) list.shift();
}

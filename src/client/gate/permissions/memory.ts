import type { ToolKind } from "../../../acp/index.ts";
import { isSameCommand, type CommandMention } from "./targets.ts";

/** A command, the real folder it runs in, and whatever of its environment may change it. */
export interface LocatedCommand extends CommandMention {
  readonly cwd: string;
  readonly env: string;
}

/** What some work touches, in real places. */
export interface LocatedTargets {
  readonly kind: ToolKind;
  readonly places: readonly string[];
  readonly commands: readonly LocatedCommand[];
}

/** A decision that holds for more than once. */
export interface RememberedDecision extends LocatedTargets {
  readonly allow: boolean;
  /** Covers all work of its kind, not just what it touched itself. */
  readonly wholeKind: boolean;
  /** The option by which it was made. */
  readonly optionId: string;
}

/** What was allowed once, through a tool call of the agent's. */
interface OneTimeGrant {
  readonly toolCallId: string;
  readonly kind: ToolKind;
  readonly place: string | undefined;
  readonly command: LocatedCommand | undefined;
}

/** Old decisions give way to new ones: an agent must not fill the memory of its host. */
const MAX_REMEMBERED = 1000;

/** What was decided before: rules of a session or of the agent, and what tool calls were allowed. */
export class PermissionMemory {
  readonly #agentRules: RememberedDecision[] = [];
  readonly #sessionRules = new Map<string, RememberedDecision[]>();
  readonly #grants = new Map<string, OneTimeGrant[]>();

  remember(scope: "session" | "agent", sessionId: string, rule: RememberedDecision): void {
    const rules = scope === "agent" ? this.#agentRules : listOf(this.#sessionRules, sessionId);
    keep(rules, rule);
  }

  /** The latest rule that covers the work, the session's before the agent's. */
  recall(sessionId: string, touched: LocatedTargets): RememberedDecision | undefined {
    const own = this.#sessionRules.get(sessionId)?.findLast((rule) => covers(rule, touched));
    return own ?? this.#agentRules.findLast((rule) => covers(rule, touched));
  }

  /** Notes that a tool call was allowed: what it touches need not be asked about again. */
  grant(sessionId: string, toolCallId: string, { kind, places, commands }: LocatedTargets): void {
    const grants = listOf(this.#grants, sessionId);
    for (const place of places) keep(grants, { toolCallId, kind, place, command: undefined });
    for (const command of commands) keep(grants, { toolCallId, kind, place: undefined, command });
  }

  /**
   * Uses what a tool call was allowed for exactly this work. A write or a command uses it up; a file
   * may be read in several parts. `isOpen` tells whether a call is still going on.
   */
  useGrant(
    sessionId: string,
    touched: LocatedTargets,
    isOpen: (toolCallId: string) => boolean,
  ): boolean {
    const grants = (this.#grants.get(sessionId) ?? []).filter((one) => isOpen(one.toolCallId));
    const index = grants.findIndex((one) => serves(one, touched));
    if (index !== -1 && touched.kind !== "read") grants.splice(index, 1);
    this.#grants.set(sessionId, grants);
    return index !== -1;
  }

  forget(sessionId: string): void {
    this.#sessionRules.delete(sessionId);
    this.#grants.delete(sessionId);
  }
}

/** Pure: a rule by exact targets covers work that touches nothing else, and at least something. */
function covers(rule: RememberedDecision, touched: LocatedTargets): boolean {
  if (rule.kind !== touched.kind) return false;
  if (rule.wholeKind) return true;
  if (touched.places.length + touched.commands.length === 0) return false;
  return (
    touched.places.every((place) => rule.places.includes(place)) &&
    touched.commands.every((command) => rule.commands.some((known) => isSame(known, command)))
  );
}

/** Which kinds of tool calls, once allowed, stand for reading, writing and running. */
const SERVING: Partial<Record<ToolKind, readonly ToolKind[]>> = {
  read: ["read", "search", "edit"],
  edit: ["edit"],
  execute: ["execute"],
};

function serves(grant: OneTimeGrant, touched: LocatedTargets): boolean {
  if (SERVING[touched.kind]?.includes(grant.kind) !== true) return false;
  const [place] = touched.places;
  const [command] = touched.commands;
  if (command) return grant.command !== undefined && isSame(grant.command, command);
  return place !== undefined && grant.place === place;
}

function isSame(known: LocatedCommand, asked: LocatedCommand): boolean {
  if (known.cwd !== asked.cwd || known.env !== asked.env) return false;
  const [command, ...args] = asked.words ?? [asked.line ?? ""];
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

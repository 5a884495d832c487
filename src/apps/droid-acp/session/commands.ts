/** Slash commands: the list of them, and the adapter's own. */
import type { AvailableCommand, ContextUsage } from "../../../protocol/acp/index.ts";
import {
  type CommandInfo,
  type ContextBreakdown,
  type SkillInfo,
  type DroidClient,
  DroidExitedError,
  capabilitiesOf,
} from "../../../droid/index.ts";
import { oneLine } from "../translate/tool-input.ts";
import { quiet, unlessAborted, toError } from "../../../base/index.ts";
import { randomUUID } from "node:crypto";
import type { Turn, TurnEnd } from "../../../agent/index.ts";

const OWN: readonly AvailableCommand[] = [
  {
    name: "compact",
    description: "Summarize the conversation so far to free context",
    input: { hint: "what the summary should keep (optional)" },
  },
  { name: "context", description: "Show what fills the context" },
];

const MCP_LOGIN: AvailableCommand = {
  name: "mcp-login",
  description: "Sign in to an MCP server with the browser",
  input: { hint: "the server's name" },
};

/** The commands that a client may offer, each name once. Commands take precedence over skills. */
export function availableCommands(
  commands: readonly CommandInfo[],
  skills: readonly SkillInfo[],
  mcpLogin: boolean,
): readonly AvailableCommand[] {
  const own = mcpLogin ? [...OWN, MCP_LOGIN] : OWN;
  const byName = new Map<string, AvailableCommand>(own.map((one) => [one.name, one]));
  for (const { name, description, argumentHint } of commands) {
    if (name === "" || byName.has(name)) continue;
    byName.set(name, {
      name,
      description: describe(description, name),
      ...(argumentHint === undefined ? {} : { input: { hint: argumentHint } }),
    });
  }
  for (const { name, description, isEnabled, isUserInvocable } of skills) {
    if (!isEnabled || !isUserInvocable || name === "" || byName.has(name)) continue;
    byName.set(name, { name, description: describe(description, name) });
  }
  return [...byName.values()];
}

function describe(description: string | undefined, name: string): string {
  return oneLine(description ?? "", 200) || `Run /${name}`;
}

type OwnCommand =
  | { readonly name: "compact"; readonly instructions: string | undefined }
  | { readonly name: "context" }
  | { readonly name: "mcp-login"; readonly server: string };

/** The adapter command in a prompt, or undefined if the prompt is for Droid. */
export function ownCommand(text: string): OwnCommand | undefined {
  const [, name, rest] = /^\/(compact|context|mcp-login)(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  const given = rest === undefined || rest.trim() === "" ? undefined : rest.trim();
  switch (name) {
    case "context":
      return { name };
    case "compact":
      return { name, instructions: given };
    case "mcp-login":
      return { name, server: given ?? "" };
    default:
      return undefined;
  }
}

export async function runContext<S>(turn: Turn<S>, droid: DroidClient): Promise<TurnEnd> {
  const [usage, breakdown] = await Promise.all([
    droid.contextUsage().catch(() => undefined),
    droid.request("contextBreakdown", {}).catch(() => undefined),
  ]);
  await turn.say(contextReport(usage, breakdown));
  return "end_turn";
}

/**
 * Answers `/mcp-login`. Droid opens the browser and sends the URL, which the client gets as a notice.
 * The login ends when the browser is redirected back, or with a cancel.
 */
export async function runMcpLogin<S>(
  turn: Turn<S>,
  droid: DroidClient,
  serverName: string,
): Promise<TurnEnd> {
  try {
    await unlessAborted(droid.request("authenticateMcpServer", { serverName }), turn.signal);
    await turn.say(`Signed in to the MCP server ${serverName}.\n`);
  } catch (error) {
    if (turn.signal.aborted) {
      void quiet(droid.request("cancelMcpAuth", { serverName }));
      return "cancelled";
    }
    if (error instanceof DroidExitedError) throw error;
    const why = toError(error).message;
    await turn.say(`Could not sign in to the MCP server “${serverName}”: ${why}\n`);
  }
  return "end_turn";
}

/**
 * Answers `/compact`. Droid makes a compacted copy, and `adopt` moves to it. A cancel before that
 * leaves the session unchanged.
 */
export async function runCompact<S>(
  turn: Turn<S>,
  droid: DroidClient,
  instructions: string | undefined,
  adopt: (newSessionId: string) => Promise<void>,
): Promise<TurnEnd> {
  const id = randomUUID();
  const showsProgress = turn.client.can("session.compaction");
  const interrupt = (): void => void droid.cancel();
  turn.signal.addEventListener("abort", interrupt, { once: true });
  try {
    if (showsProgress) await turn.compaction(id, "in_progress");
    const { newSessionId, removedCount } = await droid.compact({ instructions });
    if (turn.signal.aborted) {
      if (showsProgress) await turn.compaction(id, "cancelled");
      return "cancelled";
    }
    await adopt(newSessionId);
    if (showsProgress) await turn.compaction(id, "completed");
    const what = removedCount === undefined ? "" : `: a summary replaced ${removedCount} messages`;
    await turn.say(`The conversation was compacted${what}.\n`);
    return "end_turn";
  } catch (error) {
    const message = toError(error).message;
    if (showsProgress) {
      const cancelled = turn.signal.aborted;
      await turn.compaction(id, cancelled ? "cancelled" : "failed", { error: message });
    }
    throw error;
  } finally {
    turn.signal.removeEventListener("abort", interrupt);
  }
}

export function contextReport(
  usage: ContextUsage | undefined,
  breakdown: ContextBreakdown | undefined,
): string {
  if (!usage && !breakdown) return "This version of Droid does not report what fills the context.";
  const used = usage?.used ?? breakdown?.usedTokens ?? 0;
  const limit = usage?.size ?? breakdown?.contextBudget;
  const share = limit ? ` of ${count(limit)} (${Math.round((used / limit) * 100)} %)` : "";
  const rows = (breakdown?.categories ?? [])
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, tokens }) => `| ${name} | ${count(tokens)} |`);
  const table = rows.length === 0 ? [] : ["", "| | Tokens |", "|---|---:|", ...rows];
  return [`Context: ${count(used)} tokens${share}`, ...table, ""].join("\n");
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString("en-US");
}

/**
 * Whether Droid can log in to an MCP server on request. Up to 0.117, a call must end before the next
 * one starts, and a login may take minutes. Those versions send the URL unasked.
 */
export function canLogInToMcp({ version }: DroidClient): boolean {
  return capabilitiesOf(version).errorsNameTheirCall;
}

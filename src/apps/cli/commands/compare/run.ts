import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ContentBlock } from "../../../../protocol/acp/index.ts";
import { GitError } from "../../../../base/git/index.ts";
import type { Chosen } from "../../agents/choose.ts";
import type { Values } from "../../shell/parse.ts";
import { connect } from "../../connect/connect.ts";
import {
  CliError,
  EXIT,
  type ExitCode,
  type ExitName,
  type FailureDetails,
} from "../../shell/exit.ts";
import type { PermissionPolicy } from "../../permissions/policy.ts";
import type { UsageFacts } from "../../render/renderer.ts";
import type { Context } from "../../context/context.ts";
import { openSession } from "../../session/session.ts";
import { runTurn, type TurnSummary } from "../../session/turn.ts";
import { agentContext, type Progress } from "./agent-context.ts";
import type { Repository } from "./repository.ts";
import type { ChangedFile, Changes, Worktree, Worktrees } from "./worktree.ts";

/** The outcome of one agent. */
export interface Compared {
  readonly agent: string;
  readonly ok: boolean;
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly truncated: true | undefined;
  readonly stopReason: string | null;
  /** From the start of the agent to the end of its turn. */
  readonly durationMs: number;
  readonly usage: UsageFacts | null;
  readonly toolCalls: number;
  readonly denied: number;
  readonly files: readonly ChangedFile[];
  readonly diff: string;
  readonly diffTruncated: boolean;
  readonly error: (FailureDetails & { readonly kind: ExitName }) | null;
}

export interface ComparedAgent {
  readonly chosen: Chosen;
  readonly progress: Progress;
  /** The flags, with the settings of this agent. */
  readonly values: Values;
  readonly policy: PermissionPolicy;
}

/** The parts that all agents of a comparison share. */
export interface Comparison {
  readonly context: Context;
  readonly repository: Repository;
  readonly worktrees: Worktrees;
  readonly prompt: readonly ContentBlock[];
  readonly signal: AbortSignal;
}

/**
 * Runs the prompt with one agent in a worktree of its own. Resolves with the outcome, even if the agent
 * failed, and with the file of its patch. Throws if the changes cannot be collected.
 */
export async function runAgent(
  comparison: Comparison,
  { chosen, progress, values, policy }: ComparedAgent,
  worktree: Worktree,
): Promise<{ readonly compared: Compared; readonly patch: string }> {
  const { context, repository, worktrees, signal } = comparison;
  const inside = relative(repository.root, context.cwd);
  const own = agentContext({ ...context, values }, join(worktree.path, inside), progress);
  try {
    const { io } = own;
    const startedAt = io.now();
    const blocks = relocated(comparison.prompt, repository.root, worktree.path);
    const turn = await outcomeOf(own, chosen, policy, blocks);
    const durationMs = io.now() - startedAt;
    const changes = await worktrees.changes(worktree, signal).catch(orFailure);
    const compared = comparedOf(chosen.agent.name, turn, changes, durationMs, progress.toolCalls);
    progress.done(compared.ok ? "done" : "failed");
    return { compared, patch: changes.patch };
  } finally {
    own.dispose();
  }
}

interface AgentOutcome {
  readonly turn: TurnSummary | undefined;
  readonly denied: number;
  readonly error: CliError | undefined;
}

/** Starts the agent, runs the turn and ends the agent. Throws only unexpected errors. */
async function outcomeOf(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
  blocks: readonly ContentBlock[],
): Promise<AgentOutcome> {
  let end = (): Promise<void> => Promise.resolve();
  try {
    const connected = await connect(context, chosen, policy);
    end = () => connected.close();
    const [session] = await openSession(context, connected);
    const turn = await runTurn(context, connected, session, blocks, { remember: false });
    return { turn, denied: connected.prompter.denied.length, error: turn.error };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { turn: undefined, denied: 0, error };
  } finally {
    const stop = context.interrupts.listen({ first: () => {}, second: () => {} });
    await end();
    stop();
  }
}

function comparedOf(
  agent: string,
  { turn, denied, error }: AgentOutcome,
  { files, diff, diffTruncated }: Changes,
  durationMs: number,
  toolCalls: number,
): Compared {
  return {
    agent,
    ok: error === undefined,
    exitCode: error?.code ?? EXIT.done,
    text: turn?.text ?? "",
    truncated: turn?.truncated,
    stopReason: turn?.stopReason ?? null,
    durationMs,
    usage: turn?.usage ?? null,
    toolCalls,
    denied,
    files,
    diff,
    diffTruncated,
    error: error === undefined ? null : { kind: error.exit, ...error.details },
  };
}

/** Turns a failure of git into a CliError. */
export function orFailure(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  throw new CliError("cannotStart", { what: error.message });
}

/** Links to files of the repository, as links to the same files of the worktree. Pure. */
export function relocated(
  blocks: readonly ContentBlock[],
  root: string,
  worktree: string,
): readonly ContentBlock[] {
  return blocks.map((block) => {
    if (block.type !== "resource_link" || !block.uri.startsWith("file:")) return block;
    const way = relative(root, fileURLToPath(block.uri));
    const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
    return isInside ? { ...block, uri: pathToFileURL(join(worktree, way)).href } : block;
  });
}

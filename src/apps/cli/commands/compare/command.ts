import { counted, messageOf, sanitizeLine } from "../../../../base/index.ts";
import { COMPARE_OPTIONS } from "./declaration.ts";
import type { ParsedCommandLine, Values } from "../../shell/parse.ts";
import { CliError, usageError, type ExitCode, EXIT } from "../../shell/exit.ts";
import type { Io, Output } from "../../shell/io.ts";
import { eventLine, SilentRenderer } from "../../render/json/events.ts";
import { runCommand, type AgentCommand } from "../../connect/run-command.ts";
import {
  type Context,
  releaseContext,
  stdoutView,
  WorkClock,
  ShownUpdates,
} from "../../context/context.ts";
import { type Compared, comparisonText } from "./show.ts";
import { readPrompt } from "../../prompt/read.ts";
import type { AnyUpdate, ContentBlock } from "../../../../protocol/acp/index.ts";
import { policyOf, type PermissionPolicy } from "../../permissions/policy.ts";
import { alreadyEnding, Interrupts } from "../../shell/interrupts.ts";
import { removeLeftovers, type Worktree, Worktrees } from "./worktree.ts";
import { ResultStore } from "./keep.ts";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { GitError, withoutGitVariables } from "../../../../base/git/index.ts";
import { connect } from "../../connect/connect.ts";
import { openSession } from "../../session/session.ts";
import { runTurn } from "../../session/turn.ts";
import { Writable } from "node:stream";
import { Screen } from "../../render/terminal/screen.ts";
import { Budget, limitsOfBudget } from "../../context/budget.ts";
import { SessionLocks } from "../../stored/lock.ts";
import { chooseAgent, type Chosen } from "../../agents/select.ts";
import { expectCleanTree, repositoryOf, type Repository } from "./repository.ts";

/** `dragoman compare`: runs a prompt with several agents, or applies the changes of one of them. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const keep = values.with(COMPARE_OPTIONS).text("keep");
  if (keep === undefined) return runCommand(io, values, compareCommand(words, namesOf(values)));
  if (words.length > 0 || values.text("agent") !== undefined)
    throw usageError("--keep takes neither a prompt nor agents", `dragoman compare --keep ${keep}`);
  return runCommand(io, values, { run: (context) => keepChanges(context, keep) });
}

/** The agents of `-a A,B`. Throws a usage error for fewer than two. */
function namesOf(values: Values): readonly string[] {
  const names = (values.text("agent") ?? "").split(",").map((name) => name.trim());
  const filled = names.filter((name) => name !== "");
  if (new Set(filled).size !== filled.length)
    throw usageError("compare needs different agents, and one is named twice");
  if (filled.length < 2)
    throw usageError(
      "compare needs at least two agents",
      "dragoman compare -a droid,claude PROMPT",
    );
  return filled;
}

function compareCommand(words: readonly string[], names: readonly string[]): AgentCommand {
  let compared: readonly Compared[] = [];
  return {
    run: async (context) => {
      if (context.mode === "jsonl")
        throw usageError("compare has no raw frames of several agents", "-o events, or -o result");
      const prompt = await readPrompt(context, words, false);
      for (const note of prompt.notes) context.renderer.note(note);
      compared = await compareAgents(context, names, prompt.blocks, (one) => {
        if (context.mode === "events") context.screen.json(eventLine("compared", one));
      });
      await show(context, compared);
      const failed = compared.find(({ error }) => error !== null);
      if (!failed?.error) return;
      const { kind, ...details } = failed.error;
      const what = details.what.includes(failed.agent)
        ? details.what
        : `${failed.agent}: ${details.what}`;
      throw new CliError(kind, { ...details, what });
    },
    facts: () => ({ compared }),
  };
}

async function show(context: Context, compared: readonly Compared[]): Promise<void> {
  const { mode, screen, renderer } = context;
  if (mode !== "text" && mode !== "simple") return;
  screen.status(undefined);
  screen.answer(comparisonText(compared, stdoutView(context)));
  await screen.drained();
  if (compared.some(({ files }) => files.length > 0))
    renderer.note("your files are unchanged; apply one result with compare --keep NAME");
}

async function keepChanges(context: Context, name: string): Promise<void> {
  const { io, mode, screen, renderer } = context;
  const { keepResult } = await import("./keep.ts");
  const files = await keepResult(context, name);
  if (mode === "events") screen.json(eventLine("kept", { agent: name, files }));
  if (mode === "text" || mode === "simple")
    for (const { path } of files) screen.answer(`${io.stdout.isTty ? sanitizeLine(path) : path}\n`);
  const count = counted(files.length, "file");
  renderer.note(
    files.length === 0 ? `${name} changed nothing` : `applied the changes of ${name} to ${count}`,
  );
}

/**
 * Runs a prompt with several agents at the same time, each in a worktree of the last commit, and keeps
 * their changes for `--keep`. Calls `onEnd` for each agent when it has ended. Removes the worktrees in
 * any case. Throws a CliError if nothing can be compared, and the error of a signal.
 */
export async function compareAgents(
  context: Context,
  names: readonly string[],
  prompt: readonly ContentBlock[],
  onEnd: (compared: Compared) => void,
): Promise<readonly Compared[]> {
  const { io, cwd, interrupts, renderer } = context;
  const controller = new AbortController();
  const { signal } = controller;
  // The agents hear the signals themselves. Meanwhile, this keeps Dragoman alive.
  const stop = interrupts.listen({ first: () => controller.abort(), second: alreadyEnding });
  const options = { env: io.env, cwd };
  try {
    const repository = await repositoryOf(options);
    await expectCleanTree(repository.root, options);
    const agents = await chosenAgents(context, names);
    await removeLeftovers(io, repository, options);
    const worktrees = new Worktrees(io, repository, options);
    const comparison = { context, repository, worktrees, prompt, signal };
    try {
      // One after the other, and before an agent uses git: git fails if it reads the files of a worktree
      // that is being added.
      const places: (readonly [ComparedAgent, Worktree])[] = [];
      for (const [index, agent] of agents.entries())
        places.push([agent, await worktrees.add(index, signal).catch(orFailure)]);
      const ended = await Promise.allSettled(
        places.map(async ([agent, worktree]) => {
          const one = await runAgent(comparison, agent, worktree);
          onEnd(one.compared);
          return one;
        }),
      );
      const interrupted = interrupts.error();
      if (interrupted !== undefined) throw interrupted;
      const results = ended.map((one) => {
        if (one.status === "rejected") throw one.reason;
        return one.value;
      });
      const kept = results.map(({ compared, patch }) => ({ agent: compared.agent, patch }));
      await new ResultStore(io, repository.root).replace(kept).catch((error: unknown) => {
        renderer.note(`could not save the results for --keep: ${messageOf(error)}`);
      });
      return results.map(({ compared }) => compared);
    } finally {
      await worktrees.remove();
    }
  } catch (error) {
    throw interrupts.error() ?? error;
  } finally {
    stop();
  }
}

/** Chooses all agents before one is started. A note that concerns all of them is printed once. */
async function chosenAgents(
  context: Context,
  names: readonly string[],
): Promise<readonly ComparedAgent[]> {
  const labels = new Map<string, string>();
  const notes = new Set<string>();
  const agents: ComparedAgent[] = [];
  for (const name of names) {
    const progress = new Progress(context, name, labels);
    const renderer = { note: (text: string): void => void notes.add(text) };
    // Each agent has settings of its own.
    const own = { ...context, values: context.values.copy() };
    const chosen = await chooseAgent({ ...own, renderer }, name);
    if (chosen.agent.remote)
      throw usageError(`${name} is on a server, where it cannot have a worktree of its own`);
    agents.push({ chosen, progress, values: own.values, policy: await policyOf(own) });
  }
  for (const note of notes) context.renderer.note(note);
  return agents;
}

interface ComparedAgent {
  readonly chosen: Chosen;
  readonly progress: Progress;
  /** The flags, with the settings of this agent. */
  readonly values: Values;
  readonly policy: PermissionPolicy;
}

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
async function runAgent(
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
    const { turn, denied, error } = await outcomeOf(own, chosen, policy, blocks);
    const durationMs = io.now() - startedAt;
    const { patch, ...changes } = await worktrees.changes(worktree, signal).catch(orFailure);
    const compared: Compared = {
      agent: chosen.agent.name,
      ok: error === undefined,
      exitCode: error?.code ?? EXIT.done,
      text: turn?.text ?? "",
      truncated: turn?.truncated,
      stopReason: turn?.stopReason ?? null,
      durationMs,
      usage: turn?.usage ?? null,
      toolCalls: progress.toolCalls,
      denied,
      ...changes,
      error: error === undefined ? null : { kind: error.exit, ...error.details },
    };
    progress.show(compared.ok ? "done" : "failed");
    return { compared, patch };
  } finally {
    own.dispose();
  }
}

/** Starts the agent, runs the turn and ends the agent. Throws only unexpected errors. */
async function outcomeOf(
  context: Context,
  chosen: Chosen,
  policy: PermissionPolicy,
  blocks: readonly ContentBlock[],
) {
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

function orFailure(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  throw new CliError("cannotStart", { what: error.message });
}

/** Links to files of the repository, as links to the same files of the worktree. Pure. */
function relocated(
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

class Progress extends SilentRenderer {
  readonly #context: Context;
  readonly #labels: Map<string, string>;
  readonly #name: string;
  #toolCalls = 0;

  /** All agents of a comparison share `labels`. */
  constructor(context: Context, name: string, labels: Map<string, string>) {
    super((text) => this.line(`dragoman: ${sanitizeLine(text)}`));
    this.#context = context;
    this.#name = sanitizeLine(name);
    this.#labels = labels;
    this.show("starting");
  }

  get toolCalls(): number {
    return this.#toolCalls;
  }

  override session(): void {
    this.show("waiting");
  }

  override update(update: AnyUpdate): Promise<void> {
    if (update.type === "tool_call") this.show(counted(++this.#toolCalls, "tool call"));
    else if (update.type === "agent_message_chunk") this.show("answering");
    return Promise.resolve();
  }

  /** Prints a line that has been made safe. */
  line(text: string): void {
    this.#context.screen.printLine(`[${this.#name}] ${text}`);
  }

  show(label: string): void {
    this.#labels.set(this.#name, label);
    const all = [...this.#labels].map(([name, text]) => `${name}: ${text}`);
    this.#context.screen.status(all.join(", "));
  }
}

/** The context of one agent among several, with its own signals, so that a Ctrl-C reaches all, and no stdout. */
function agentContext(context: Context, cwd: string, progress: Progress): Context {
  const { io: user, values } = context;
  const io = {
    ...user,
    env: withoutGitVariables(user.env),
    stdout: lines(() => {}),
    stderr: lines((line) => progress.line(line)),
    // Only the comparison itself ends Dragoman, after it has removed the worktrees.
    endBySignal: () => {},
  };
  const screen = new Screen(io, { spinner: false, onClosed: () => {} });
  const interrupts = new Interrupts(io);
  const locks = new SessionLocks(io);
  return {
    ...context,
    io,
    cwd,
    screen,
    renderer: progress,
    frames: undefined,
    interrupts,
    locks,
    shown: new ShownUpdates(),
    budget: new Budget(limitsOfBudget(values)),
    clock: new WorkClock(() => io.now()),
    startedAt: io.now(),
    onClosed: () => {},
    dispose: () => releaseContext(interrupts, locks, screen),
  };
}

/** An output that passes on whole lines. */
function lines(use: (line: string) => void): Output {
  let rest = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) use(line);
      done();
    },
  });
  const none = (): undefined => undefined;
  return { stream, isTty: false, columns: none, rows: none, onResize: () => () => {} };
}

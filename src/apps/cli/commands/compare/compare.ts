import { messageOf } from "../../../../base/index.ts";
import type { ContentBlock } from "../../../../protocol/acp/index.ts";
import { chooseAgent } from "../../agents/choose.ts";
import { usageError } from "../../shell/exit.ts";
import { policyOf } from "../../permissions/from-flags.ts";
import type { Context } from "../../context/context.ts";
import { alreadyEnding } from "../../shell/interrupts.ts";
import { Progress } from "./agent-context.ts";
import { checkClean, repositoryOf } from "./repository.ts";
import { ResultStore } from "./results.ts";
import { orFailure, runAgent, type ComparedAgent, type Compared } from "./run.ts";
import { removeLeftovers, type Worktree, Worktrees } from "./worktree.ts";

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
    await checkClean(repository.root, options);
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

import { stringField } from "../../../base/index.ts";
import { Unmet } from "../harness/errors.ts";
import type { AgentFrame, CheckingAgent, ClientCall } from "./agent.ts";
import { type Seen, firstFault } from "../verdicts.ts";
import type { ClientCase, ClientCheck, Played, ScenarioOptions } from "./case.ts";
import { HELLO, type Scenario } from "./scenario.ts";

/** A client that called a method. */
export interface Called extends Played {
  readonly agent: CheckingAgent;
  /** Its first call of the method. */
  readonly call: AgentFrame;
}

/** Plays a scenario. Throws {@link Unmet} if the client does not call the method. */
export async function playCalling(
  check: ClientCheck,
  method: string,
  scenario: Scenario,
  options?: ScenarioOptions,
): Promise<Called> {
  const played = await check.play(scenario, options);
  const { agent } = played;
  const [call] = agent?.calls(method) ?? [];
  if (!agent || !call) throw new Unmet(missingCall(method, played));
  return { ...played, agent, call };
}

export type ScriptedTurnOptions = ScenarioOptions & { readonly scenario?: Scenario | undefined };

/** A turn of the agent, while it lasts. */
export interface ScriptedTurn {
  readonly check: ClientCheck;
  readonly call: ClientCall;
  /** As {@link ClientCheck.judge}. The verdict counts if the turn reaches its end, once the client has ended. */
  readonly judge: (id: string, isKept: boolean, ...seen: readonly Seen[]) => void;
}

type Work<T> = (agent: CheckingAgent, turn: ScriptedTurn) => Promise<T>;

/** A client after a turn. */
export interface TriedTurn<T> extends Played {
  /** What the agent saw, if the turn reached its end. */
  readonly done: { readonly seen: T } | undefined;
  /** Why it did not. */
  readonly problem: Unmet | undefined;
  /** Why the turn was not whole, for the agent or for the user. */
  readonly trouble: string | undefined;
}

/**
 * Plays one turn. The agent does the work, says hello, and ends the turn, even if the client did not
 * answer something.
 */
export async function tryTurn<T>(
  check: ClientCheck,
  work: Work<T>,
  { scenario, ...options }: ScriptedTurnOptions = {},
): Promise<TriedTurn<T>> {
  let done: { readonly seen: T } | undefined;
  let problem: Unmet | undefined;
  const verdicts: Parameters<ScriptedTurn["judge"]>[] = [];
  const judge: ScriptedTurn["judge"] = (...verdict) => void verdicts.push(verdict);
  const turn = async (agent: CheckingAgent, call: ClientCall): Promise<string> => {
    try {
      done = { seen: await work(agent, { check, call, judge }) };
    } catch (error) {
      if (!(error instanceof Unmet)) throw error;
      problem = error;
    }
    await agent.say(HELLO);
    return "end_turn";
  };
  const played = await check.play({ ...scenario, turn }, options);
  if (!done) problem ??= new Unmet(promptProblem(played));
  else for (const verdict of verdicts) check.judge(...verdict);
  const trouble = problem?.message ?? turnProblem(check, played);
  return { ...played, done, problem, trouble };
}

/** Plays one turn, as {@link tryTurn}. Throws {@link Unmet} if it did not reach its end. */
export async function playTurn<T>(
  check: ClientCheck,
  work: Work<T>,
  options?: ScriptedTurnOptions,
): Promise<Played & { readonly seen: T }> {
  const { done, problem, ...played } = await tryTurn(check, work, options);
  if (!done) throw problem ?? new Unmet("the turn did not end");
  return { ...played, ...done };
}

/** A case of one turn. */
export interface TurnCase extends Pick<ClientCase, "needs">, ScriptedTurnOptions {
  /** Throws {@link Unmet} if there is nothing to judge. */
  readonly require?: ((check: ClientCheck) => void) | undefined;
}

/** A case in which the agent judges while it works in one turn. By default, its needs are driven. */
export function turnCase(
  { ids, needs, require, ...options }: TurnCase & Pick<ClientCase, "ids">,
  work: Work<void>,
): ClientCase {
  return {
    ids,
    needs,
    run: async (check) => {
      require?.(check);
      await playTurn(check, work, { drive: needs, ...options });
    },
  };
}

/** A case in which the agent does something unusual: the rest of the turn must be whole. */
export interface UnusualTurn extends TurnCase {
  readonly id: string;
  readonly what: string;
  /** How many waits the turn may take. */
  readonly limits?: number | undefined;
  /** Further faults of the client. */
  readonly faults?:
    | ((played: TriedTurn<void>, check: ClientCheck) => readonly (Seen | false)[])
    | undefined;
}

export function unusualTurnCase(
  { id, what, needs, require, limits, faults, ...options }: UnusualTurn,
  work: Work<void>,
): ClientCase {
  return {
    ids: [id],
    needs,
    run: async (check) => {
      require?.(check);
      const limitMs = limits && limits * check.limitMs;
      const played = await tryTurn(check, work, { limitMs, ...options });
      const fault = firstFault(played.trouble, ...(faults?.(played, check) ?? []));
      check.judge(id, !fault, what, fault ?? "the turn was whole");
    },
  };
}

/** Why the client did not prompt, or its turn did not reach its end. */
export function promptProblem(played: Pick<Played, "agent" | "end">): string {
  const { agent, end } = played;
  const hasPrompted = agent !== undefined && agent.calls("session/prompt").length > 0;
  if (!hasPrompted) return missingCall("session/prompt", played);
  return `the client ended in the turn${end ? `, with ${describeEnd(end)}` : ""}`;
}

function missingCall(method: string, { agent, end }: Pick<Played, "agent" | "end">): string {
  if (!agent) return "the client did not start the agent";
  const methods = agent.received.map(
    ({ json }) => stringField(json ?? {}, "method") ?? "an answer",
  );
  const ending = end ? `and ended with ${describeEnd(end)}` : "and did not end in time";
  return `the client sent no ${method} (it sent ${methods.join(", ") || "nothing"}) ${ending}`;
}

export function describeEnd(end: Played["end"]): string {
  if (!end) return "no end in time";
  return end.signal === null ? `exit code ${end.code}` : `signal ${end.signal}`;
}

/**
 * Why the turn did not take place, or not as usual for the user: the text was not shown, or the client ended
 * in another way.
 */
export function turnProblem(check: ClientCheck, played: Played, text = HELLO): string | undefined {
  const { agent, end, stdout, stderr } = played;
  if (!agent?.calls("session/prompt").length) return promptProblem(played);
  if (!end) return "the client did not end within its time limit";
  if (check.baseline.exits && end.code !== check.baseline.code) {
    return `the client ended with ${describeEnd(end)}: ${lastLine(stderr)}`;
  }
  if (check.baseline.showsText && !stdout.includes(text)) {
    return `the client did not show the text "${text}"`;
  }
  return undefined;
}

/** Whether the user can see that something went wrong: an exit code, or a text. */
export function isReported(check: ClientCheck, { end, stdout, stderr }: Played): boolean {
  if (!end) return false;
  if (check.baseline.exits) return end.code !== check.baseline.code;
  return `${stdout}${stderr}`.trim() !== "";
}

/** How a client ended, with the last line that it wrote on stderr. */
export function describePlayed({ end, stderr }: Played): string {
  return `${describeEnd(end)}, and on stderr ${JSON.stringify(lastLine(stderr))}`;
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.slice(0, 200) ?? "";
}

import { deferred, objectsField, stringField } from "../../../base/index.ts";
import { Unmet } from "../harness/errors.ts";
import { runCase } from "../run/case.ts";
import { type CaseVerdict, VerdictBook } from "../verdicts.ts";
import type { CheckingAgent, ClientCall } from "./agent.ts";
import { CASE_LIMITS } from "./attempt.ts";
import {
  UNMEASURED,
  type ClientBaseline,
  type ClientCase,
  type ClientCheck,
  type Played,
  type ScenarioOptions,
} from "./case.ts";
import { HELLO, type Scenario } from "./scenario.ts";
import type { ClientRun } from "./subject.ts";

/** A case needs more than a turn of the connection that is open. */
class NeedsOwnConnection extends Unmet {
  override readonly name = "NeedsOwnConnection";

  constructor() {
    super("it needs a driver, or a connection of its own");
  }
}

/** The cases that a prompt names: by the id of a requirement, or the beginning of several. */
function casesNamedIn({ params }: ClientCall, cases: readonly ClientCase[]): readonly ClientCase[] {
  const text = objectsField(params, "prompt")
    .map((block) => stringField(block, "text") ?? "")
    .join(" ");
  const words = text.toUpperCase().match(/DRC2?-[A-Z]+(?:-\d+)?/g) ?? [];
  return cases.filter(({ ids }) => ids.some((id) => words.some((word) => id.startsWith(word))));
}

/**
 * Runs a case in a turn of a client that a person drives, such as an editor. Only cases that need nothing
 * but a turn can be judged, and only by the frames, the files and the processes.
 */
class InteractiveCheck extends VerdictBook implements ClientCheck {
  readonly slowMs = 0;
  readonly limitMs: number;
  readonly baseline: ClientBaseline;
  readonly #agent: CheckingAgent;
  readonly #call: ClientCall;
  readonly #run: ClientRun;

  constructor(call: ClientCall, run: ClientRun, limitMs: number) {
    super();
    this.#agent = call.agent;
    this.#call = call;
    this.#run = run;
    this.limitMs = limitMs;
    const { capabilities } = call.agent;
    this.baseline = { ...UNMEASURED, capabilities, allowing: capabilities };
  }

  has(): boolean {
    return false;
  }

  /** Runs a case, and shows its verdicts in the chat. */
  async carryOut(one: ClientCase, signal: AbortSignal): Promise<void> {
    await runCase({
      ids: one.ids,
      verdicts: this,
      work: async () => {
        if (one.needs !== undefined) throw new NeedsOwnConnection();
        await one.run(this);
      },
      limitMs: CASE_LIMITS * this.limitMs,
      signal,
      faults: () => [],
      end: async () => {},
    });
    for (const id of one.ids) await this.#agent.say(`${id}: ${describe(this.get(id))}\n\n`);
  }

  async play(scenario: Scenario, options: ScenarioOptions = {}): Promise<Played> {
    const { turn, ...others } = scenario;
    const isPlain = Object.values(others).every((value) => value === undefined);
    const isDriven =
      (options.drive?.length ?? 0) > 0 ||
      options.beside !== undefined ||
      options.files !== undefined;
    if (!turn || !isPlain || isDriven) throw new NeedsOwnConnection();
    await turn(this.#agent, this.#call);
    const end = { code: null, signal: null, isOwn: false };
    return { run: this.#run, agent: this.#agent, end, stdout: "", stderr: "", ms: 0 };
  }
}

/** An ordinary turn, unless the prompts name cases. Then a person drives the client, and it goes on. */
export class PersonalRun {
  /** The verdicts of each case that a prompt named. */
  readonly books: VerdictBook[] = [];
  readonly scenario: Scenario = {
    turn: (agent, call) => this.#turn(agent, call),
    next: (agent, call) => this.#turn(agent, call),
  };
  readonly options: ScenarioOptions = {
    beside: async (run) => {
      this.#run.resolve(run);
    },
    isHeld: () => this.#isPersonal,
  };
  readonly #cases: readonly ClientCase[];
  readonly #limitMs: number;
  readonly #signal: AbortSignal;
  readonly #run = deferred<ClientRun>();
  #isPersonal = false;

  constructor(cases: readonly ClientCase[], limitMs: number, signal: AbortSignal) {
    this.#cases = cases;
    this.#limitMs = limitMs;
    this.#signal = signal;
  }

  async #turn(agent: CheckingAgent, call: ClientCall): Promise<string> {
    const named = casesNamedIn(call, this.#cases);
    if (named.length === 0) {
      await agent.say(HELLO);
      return "end_turn";
    }
    this.#isPersonal = true;
    const run = await this.#run.promise;
    for (const one of named) {
      const check = new InteractiveCheck(call, run, this.#limitMs);
      this.books.push(check);
      await check.carryOut(one, this.#signal);
    }
    return "end_turn";
  }
}

function describe(verdict: CaseVerdict | undefined): string {
  if (!verdict) return "nothing to judge";
  switch (verdict.status) {
    case "passed":
      return `passed (${verdict.evidence})`;
    case "failed":
      return `FAILED: ${verdict.actual}`;
    default:
      return `${verdict.status}: ${verdict.reason ?? ""}`;
  }
}

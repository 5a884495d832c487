import {
  AgentCheck,
  type OpenAgent,
  type RunContext,
  type SharedAgent,
  type WatchedLink,
} from "../agent/agent-check.ts";
import type { ScratchPlace } from "../subject/home.ts";
import { type PassiveResult, passiveOf } from "./passive.ts";

/** The process that cases share which only read. It is started again if it has ended. */
export class SharedProcess implements SharedAgent {
  readonly #check: AgentCheck;
  #agent: OpenAgent | undefined;
  readonly #drained = new Map<WatchedLink, number>();
  #judged: ReadonlyMap<string, number> = new Map();

  constructor(context: RunContext) {
    this.#check = new AgentCheck(context);
  }

  place(): Promise<ScratchPlace> {
    return this.#check.place();
  }

  async open(): Promise<OpenAgent> {
    if (this.#agent && this.#agent.link.end === undefined) return this.#agent;
    this.#agent = await this.#check.open({});
    return this.#agent;
  }

  /** The observations of passive judges since the last call. */
  drain(): PassiveResult {
    const { watched } = this.#check;
    const { violations, judged } = passiveOf(watched, this.#drained);
    for (const one of watched) this.#drained.set(one, one.link.judge.violations.length);
    const before = this.#judged;
    this.#judged = judged;
    const fresh = [...judged].map(([id, count]): [string, number] => [
      id,
      count - (before.get(id) ?? 0),
    ]);
    return { violations, judged: new Map(fresh.filter(([, count]) => count > 0)) };
  }

  async end(): Promise<void> {
    await this.#check.end();
  }
}

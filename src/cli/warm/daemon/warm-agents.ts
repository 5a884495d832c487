import type { HubAgent } from "../../../hub/index.ts";
import { createRedactor, type EnvOverlay, openProcess } from "../../../wire/index.ts";
import { finishedText } from "../../connect/noise.ts";
import type { WarmAgent } from "../frames.ts";

/** An agent that callers with the same key share. */
interface Entry {
  readonly agent: HubAgent;
  /** How often a caller wanted a process of its own. */
  readonly round: number;
  warmMs: number;
  clients: number;
  leftAt: number;
}

/** An entry is kept this much longer than its agent, whose time starts a little later. */
const SLACK_MS = 60_000;

/** The agents that callers asked for, by their keys. The hub has their processes. */
export class WarmAgents {
  readonly #entries = new Map<string, Entry>();
  readonly #log: (text: string) => void;

  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  /**
   * The agent for a caller. With `fresh`, it is another one than earlier callers have. The last caller
   * decides how long it stays. The function that is returned with it notes that the caller has left.
   */
  use(
    described: WarmAgent,
    warmMs: number,
    fresh: boolean,
  ): readonly [agent: HubAgent, left: () => void] {
    this.#prune();
    const known = this.#entries.get(described.key);
    const entry =
      known === undefined || fresh ? this.#add(described, (known?.round ?? -1) + 1) : known;
    entry.warmMs = warmMs;
    entry.clients++;
    return [
      entry.agent,
      () => {
        entry.clients--;
        entry.leftAt = Date.now();
      },
    ];
  }

  #add(described: WarmAgent, round: number): Entry {
    const { name, key } = described;
    const entry: Entry = {
      agent: {
        name,
        key: `${key}.${round}`,
        get idleMs() {
          return entry.warmMs;
        },
        open: () => this.#open(described),
      },
      round,
      warmMs: 0,
      clients: 0,
      leftAt: 0,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #open({ name, command, args, cwd, env, secrets }: WarmAgent) {
    const stderr = new StderrLines(secrets, (line) => this.#log(`${name}: ${line}`));
    return openProcess({
      command,
      args,
      cwd,
      env: exactly(env),
      onStderr: (text) => stderr.add(text),
    });
  }

  #prune(): void {
    const now = Date.now();
    for (const [key, { clients, leftAt, warmMs }] of this.#entries) {
      if (clients === 0 && now - leftAt > warmMs + SLACK_MS) this.#entries.delete(key);
    }
  }
}

/** Exactly this environment, and nothing of this process's own. */
function exactly(env: Readonly<Record<string, string>>): EnvOverlay {
  const own = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  return { ...own, ...env };
}

/** The most of one line of stderr that is logged, and of an unfinished line that waits for its end. */
const MAX_LINE_CHARS = 2000;
const MAX_WAITING_CHARS = 64 * 1024;

/** Splits the stderr of an agent into lines without secrets. */
class StderrLines {
  readonly #hide: (text: string) => string;
  readonly #line: (text: string) => void;
  #waiting = "";

  constructor(secrets: readonly string[], line: (text: string) => void) {
    this.#hide = createRedactor(secrets).text;
    this.#line = line;
  }

  add(text: string): void {
    this.#waiting += text;
    const isLong = this.#waiting.length > MAX_WAITING_CHARS;
    const length = isLong ? this.#waiting.length : finishedText(this.#waiting);
    const ready = this.#waiting.slice(0, length);
    this.#waiting = this.#waiting.slice(length);
    if (ready === "") return;
    for (const line of this.#hide(ready).trimEnd().split("\n"))
      this.#line(line.slice(0, MAX_LINE_CHARS));
  }
}

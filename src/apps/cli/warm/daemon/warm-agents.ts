import type { HubAgent } from "../../../../host/hub/index.ts";
import { createRedactor, type EnvOverlay, FinishedText } from "../../../../base/index.ts";
import { openProcess } from "../../../../transport/wire/index.ts";
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
    const stderr = stderrLines(secrets, (line) => this.#log(`${name}: ${line}`));
    return openProcess({
      command,
      args,
      cwd,
      env: exactly(env),
      onStderr: stderr,
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

/** The most of one line of stderr that is logged. */
const MAX_LINE_CHARS = 2000;

/** Splits the stderr of an agent into lines without secrets. */
function stderrLines(
  secrets: readonly string[],
  line: (text: string) => void,
): (text: string) => void {
  const hide = createRedactor(secrets).text;
  const finished = new FinishedText((text) => {
    for (const each of hide(text).trimEnd().split("\n")) line(each.slice(0, MAX_LINE_CHARS));
  });
  return (text) => finished.push(text);
}

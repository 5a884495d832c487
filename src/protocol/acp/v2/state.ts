import { KeptMap } from "../state/kept-map.ts";
import { patched } from "../state/patched.ts";
import type { BackgroundWork, SessionActivity, TerminalEnd, TerminalSize } from "./types.ts";
import type { AgentTerminalChange, AgentTerminalChunk, V2Update } from "./updates.ts";

/** Everything known about a terminal on the agent's side. Immutable: an update creates a new object. */
export interface AgentTerminalState {
  readonly terminalId: string;
  /** The command line. */
  readonly command: string | undefined;
  readonly cwd: string | undefined;
  /** The end of the output, as text. It may contain control sequences: clean it before showing it. */
  readonly output: string;
  /** Whether the beginning of the output was dropped. */
  readonly truncated: boolean;
  /** How the command ended; undefined while it runs. */
  readonly exit: TerminalEnd | undefined;
  /** The size of the terminal. */
  readonly size: TerminalSize | undefined;
  /** Whether the client may cancel the command. */
  readonly canCancel: boolean;
}

/** A terminal with the bytes of a character whose end has not arrived yet. */
interface KeptTerminal extends AgentTerminalState {
  readonly rest: Uint8Array;
}

/** The part of a session's state that only agents of v2 report. */
export interface V2State {
  readonly terminals: Map<string, KeptTerminal>;
  /** Undefined on v1, and until the agent reports it. */
  activity: SessionActivity | undefined;
  background: readonly BackgroundWork[] | undefined;
}

/** How many terminals of a session are kept. Those that still run are dropped last. */
const KEPT = { count: 100, chars: 16 * 1024 * 1024 };
/** How much of the output of each is kept. */
const KEPT_OUTPUT = 256 * 1024;

/** Creates the part of a state that v2 uses. */
export function createV2State(): V2State {
  return {
    terminals: new KeptMap<KeptTerminal>({
      ...KEPT,
      weigh: ({ output, command = "" }) => output.length + command.length,
      isOver: ({ exit }) => exit !== undefined,
    }),
    activity: undefined,
    background: undefined,
  };
}

/** Applies one update of v2 to the state in place. */
export function applyV2Update(state: V2State, update: V2Update): void {
  switch (update.type) {
    case "state_update":
      state.activity = update.activity;
      state.background = update.background ?? state.background;
      return;
    case "terminal_update":
    case "terminal_output_chunk": {
      const { terminalId } = update;
      const known = state.terminals.get(terminalId);
      state.terminals.set(terminalId, mergeTerminal(known, update));
      return;
    }
    case "user_message":
    case "agent_message":
    case "agent_thought":
      return;
    default:
      update satisfies never;
  }
}

/** Merges an update or more output into what is known of a terminal. Pure. Either may come first. */
function mergeTerminal(
  current: KeptTerminal | undefined,
  update: AgentTerminalChange | AgentTerminalChunk,
): KeptTerminal {
  const known = current ?? emptyTerminal(update.terminalId);
  if (update.type === "terminal_output_chunk") return withOutput(known, update.bytes);
  const exit = patched(known.exit, update.exit);
  const changed = {
    ...known,
    command: patched(known.command, update.command),
    cwd: patched(known.cwd, update.cwd),
    exit,
    size: patched(known.size, update.size),
    canCancel: exit === undefined && (update.canCancel ?? known.canCancel),
  };
  if (update.output === undefined) return changed;
  const cleared = { ...changed, output: "", truncated: false, rest: NO_BYTES };
  return update.output === null ? cleared : withOutput(cleared, update.output);
}

function withOutput(terminal: KeptTerminal, bytes: Uint8Array): KeptTerminal {
  const all = new Uint8Array(terminal.rest.length + bytes.length);
  all.set(terminal.rest);
  all.set(bytes, terminal.rest.length);
  const end = completeLength(all);
  const output = terminal.output + new TextDecoder().decode(all.subarray(0, end));
  const rest = all.slice(end);
  if (output.length <= 2 * KEPT_OUTPUT) return { ...terminal, output, rest };
  return { ...terminal, output: output.slice(-KEPT_OUTPUT), truncated: true, rest };
}

/** How many bytes at the beginning are whole UTF-8 characters: a chunk may end inside one. */
function completeLength(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= Math.min(3, length); back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return length;
    if (byte < 0xc0) continue;
    const needed = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return needed > back ? length - back : length;
  }
  return length;
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array();

function emptyTerminal(terminalId: string): KeptTerminal {
  return {
    terminalId,
    command: undefined,
    cwd: undefined,
    output: "",
    truncated: false,
    exit: undefined,
    size: undefined,
    canCancel: false,
    rest: NO_BYTES,
  };
}

import { BoundedMap } from "../../acp/index.ts";
import { bytesOf, isJsonObject, type JsonObject, stringField } from "../../../base/index.ts";

/** The text of a terminal that runs on the agent's side. */
interface AgentTerminalText {
  text: string;
  decoder: InstanceType<typeof TextDecoder>;
  readonly shownBy: Set<string>;
  /** The length of the text when it was last passed on. */
  passedOn: number;
  /** Whether some of the text was not passed on. */
  isLate: boolean;
  isOver: boolean;
}

const KEPT = { count: 64, chars: 16 * 1024 * 1024 };
/** How much of a terminal's text is kept: the end of it. */
const KEPT_TEXT = 256 * 1024;
/** How many tool calls may show one terminal. */
const MAX_SHOWN = 16;
/** The text is passed on when it has at least this much and doubled, so that the traffic stays linear. */
const FIRST_TEXT = 256;

export class TerminalTexts {
  readonly #terminals = new BoundedMap<AgentTerminalText>({
    ...KEPT,
    weigh: ({ text }) => text.length,
    isOver: ({ isOver }) => isOver,
  });

  /** The text of a terminal that a tool call shows from now on. */
  show(terminalId: string, toolCallId: string): string {
    const terminal = this.#find(terminalId);
    if (terminal.shownBy.size < MAX_SHOWN) terminal.shownBy.add(toolCallId);
    return terminal.text;
  }

  /** Applies a `terminal_update`. Returns the tool calls whose content changed. */
  update(update: JsonObject): ReadonlySet<string> {
    const terminalId = stringField(update, "terminalId");
    if (terminalId === undefined) return NONE;
    const terminal = this.#find(terminalId);
    const { output, exitStatus } = update;
    if (output !== undefined) {
      terminal.decoder = new TextDecoder();
      terminal.text = "";
      if (isJsonObject(output)) this.#append(terminal, stringField(output, "data"));
    }
    if (exitStatus === undefined) return this.#due(terminal, false);
    terminal.isOver = isJsonObject(exitStatus);
    return this.#due(terminal, terminal.isOver);
  }

  /** Applies a `terminal_output_chunk`. Returns the tool calls whose content changed. */
  append(update: JsonObject): ReadonlySet<string> {
    const terminalId = stringField(update, "terminalId");
    if (terminalId === undefined) return NONE;
    const terminal = this.#find(terminalId);
    this.#append(terminal, stringField(update, "data"));
    return this.#due(terminal, false);
  }

  textOf(terminalId: string): string {
    return this.#terminals.get(terminalId)?.text ?? "";
  }

  #append(terminal: AgentTerminalText, data: string | undefined): void {
    const text = terminal.text + terminal.decoder.decode(bytesOf(data), { stream: true });
    terminal.text = text.length > 2 * KEPT_TEXT ? text.slice(-KEPT_TEXT) : text;
  }

  #due(terminal: AgentTerminalText, isOver: boolean): ReadonlySet<string> {
    const { length } = terminal.text;
    const isDue =
      isOver || length < terminal.passedOn || length >= 2 * Math.max(terminal.passedOn, FIRST_TEXT);
    terminal.isLate = !isDue && length !== terminal.passedOn;
    if (!isDue || terminal.shownBy.size === 0) return NONE;
    terminal.passedOn = length;
    return terminal.shownBy;
  }

  /** The tool calls that show text which was not passed on. It counts as passed on from here. */
  takeLate(): readonly string[] {
    const late = [...this.#terminals.values()].filter(({ isLate }) => isLate);
    for (const terminal of late) {
      terminal.passedOn = terminal.text.length;
      terminal.isLate = false;
    }
    return late.flatMap(({ shownBy }) => [...shownBy]);
  }

  #find(terminalId: string): AgentTerminalText {
    const known = this.#terminals.get(terminalId);
    if (known) return known;
    const created: AgentTerminalText = {
      text: "",
      decoder: new TextDecoder(),
      shownBy: new Set(),
      passedOn: 0,
      isLate: false,
      isOver: false,
    };
    this.#terminals.set(terminalId, created);
    return created;
  }
}

const NONE: ReadonlySet<string> = /* @__PURE__ */ new Set();

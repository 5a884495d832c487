import type { ToolCallContent } from "../../protocol/acp/index.ts";
import { base64Of, quietly, randomId } from "../../base/index.ts";
import type { TurnScope } from "../turn/turn-scope.ts";
import type { SessionWork } from "./session-work.ts";
import type { ExitOnWire } from "./updates.ts";

/** A terminal whose output the agent has or gets from elsewhere. */
export interface TerminalReport {
  /** The command line. */
  readonly command: string;
  /** The folder it runs in, an absolute path. Default: the session's folder. */
  readonly cwd?: string | undefined;
  /** Default: a random id. It must be new in the session. */
  readonly terminalId?: string | undefined;
  /** Whether it goes on after the turn. Clients of v2 see it in the list of background work. */
  readonly background?: boolean | undefined;
  /** Whether the client may cancel it; its `signal` is then aborted. Clients of v1 cannot. */
  readonly canCancel?: boolean | undefined;
}

/** How a reported command ended. Without fields, it is not known. */
export interface ReportedExit {
  /** The exit code. */
  readonly exitCode?: number | null | undefined;
  /** The name of the signal that ended the command. */
  readonly signal?: string | null | undefined;
}

/**
 * A terminal that the agent reports. Clients of v2 get its bytes as they are; clients of v1 get its text
 * as content of a tool call, whenever the text has doubled and at its end.
 *
 * Methods resolve when the client can take more, and reject like those of the turn. Unless it is
 * background work, it ends with the turn.
 */
export interface ReportedTerminal {
  readonly id: string;
  /** The terminal as tool call content: a terminal on v2, its text so far on v1. */
  readonly content: ToolCallContent;
  /** Aborted when the client cancels the terminal, when the turn is cancelled or the session closes. */
  readonly signal: AbortSignal;
  /** Appends output. */
  write(data: string | Uint8Array): Promise<void>;
  /** Replaces all of the output so far. */
  replace(data: string | Uint8Array): Promise<void>;
  /** Reports that the command has ended. A second call does nothing. */
  exit(status?: ReportedExit): Promise<void>;
}

/** How much of the text is kept for clients of v1: the end of it. */
const KEPT_TEXT = 256 * 1024;
/** Clients of v1 get the text when it has this much and doubled, so that the traffic stays linear. */
const FIRST_TEXT = 256;

/** The class behind `ReportedTerminal`. */
export class AuthorReport implements ReportedTerminal {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly #scope: TurnScope;
  readonly #work: SessionWork;
  readonly #isV2: boolean;
  /** Sends the content of the tool call that shows it, for clients of v1. */
  readonly #refresh: (() => Promise<void>) | undefined;
  readonly #controller = new AbortController();
  /** Aborted only when the client cancels the terminal. */
  readonly cancelled: AbortSignal = this.#controller.signal;
  #decoder = new TextDecoder();
  #text = "";
  /** The length of the text when a client of v1 last got it. */
  #shown = 0;
  #isOver = false;

  constructor(scope: TurnScope, work: SessionWork, id?: string, refresh?: () => Promise<void>) {
    this.id = id ?? `term_${randomId()}`;
    this.#scope = scope;
    this.#work = work;
    this.#isV2 = scope.link.protocolVersion === 2;
    this.#refresh = refresh;
    this.signal = AbortSignal.any([scope.signal, this.cancelled]);
  }

  get item(): { readonly type: "terminal"; readonly terminalId: string } {
    return { type: "terminal", terminalId: this.id };
  }

  get content(): ToolCallContent {
    if (this.#isV2) return this.item;
    return { type: "content", content: { type: "text", text: this.#text } };
  }

  /** Announces it to the client. */
  async open({ command, canCancel, background }: TerminalReport, cwd: string): Promise<void> {
    if (canCancel === true) this.#work.allowCancel(this.item, () => this.#controller.abort());
    if (this.#isV2) {
      await this.#scope.send({
        sessionUpdate: "terminal_update",
        terminalId: this.id,
        command,
        cwd,
        ...(canCancel === true ? { capabilities: { cancel: {} } } : {}),
      });
    }
    if (background === true) await this.#work.addBackground(this.item, () => this.exit());
  }

  write(data: string | Uint8Array): Promise<void> {
    const bytes = bytesFrom(data);
    if (this.#isV2) {
      const chunk = { terminalId: this.id, data: base64Of(bytes) };
      return this.#scope.send({ sessionUpdate: "terminal_output_chunk", ...chunk });
    }
    const text = this.#text + this.#decoder.decode(bytes, { stream: true });
    this.#text = text.length > 2 * KEPT_TEXT ? text.slice(-KEPT_TEXT) : text;
    return this.#show(this.#text.length >= 2 * Math.max(this.#shown, FIRST_TEXT));
  }

  replace(data: string | Uint8Array): Promise<void> {
    const bytes = bytesFrom(data);
    if (this.#isV2) {
      const output = { data: base64Of(bytes) };
      return this.#scope.send({ sessionUpdate: "terminal_update", terminalId: this.id, output });
    }
    this.#decoder = new TextDecoder();
    this.#text = this.#decoder.decode(bytes, { stream: true }).slice(-KEPT_TEXT);
    return this.#show(true);
  }

  exit({ exitCode, signal }: ReportedExit = {}): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#isOver = true;
    return quietly(async () => {
      const exitStatus: ExitOnWire = {
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(signal === undefined ? {} : { signal }),
      };
      try {
        if (this.#isV2) {
          const update = { terminalId: this.id, exitStatus, capabilities: null };
          await this.#scope.send({ sessionUpdate: "terminal_update", ...update });
        } else await this.#show(true);
      } finally {
        this.#work.ended(this.item);
      }
    });
  }

  #show(isDue: boolean): Promise<void> {
    if (!isDue || !this.#refresh) return this.#scope.stillOpen();
    this.#shown = this.#text.length;
    return this.#refresh();
  }
}

function bytesFrom(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

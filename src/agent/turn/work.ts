import type {
  ContentBlock,
  ElicitationAnswer,
  Meta,
  PlanEntry,
  RequestOptions,
  ToolCallUpdate,
} from "../../protocol/acp/index.ts";
import type { SendOptions, SessionSender } from "../session/sender.ts";
import type { ReportedTerminal, TerminalReport, Terminal, TerminalCommand } from "./terminals.ts";
import type { ToolCallHandle, ToolCallStart } from "./tool-call.ts";
import type {
  FormQuestion,
  UrlAnswer,
  UrlQuestion,
  PermissionAnswer,
  PermissionQuestion,
} from "./questions.ts";

/** A permission question together with its tool call. */
export interface ToolPermissionRequest extends ToolCallStart, PermissionQuestion {
  /** The `_meta` of the tool call. That of the request is `requestMeta`. */
  readonly meta?: Meta | undefined;
}

/** The answer to a permission question, with the tool call to continue. */
export interface ToolPermissionAnswer extends PermissionAnswer {
  /**
   * Already failed if it was not allowed. If it was allowed, it completes with the turn, unless the
   * author settles it first.
   */
  readonly toolCall: ToolCallHandle;
}

/** Which lines of a file to read, and how to ask for them. Default: the whole file. */
export interface ReadRange extends RequestOptions {
  /** The first line to read, counted from 1. */
  readonly line?: number | undefined;
  /** The maximum number of lines. */
  readonly limit?: number | undefined;
}

/**
 * Work that an agent does in a session: in the turn of a prompt, or by itself.
 *
 * Methods that send resolve when the client can take more. After a cancel, `say`, `think`, `plan`,
 * `toolCall` and every request to the client reject with TurnCancelledError (permission and
 * elicitation resolve as cancelled instead); `update` and the methods of open tool calls still work.
 * After the end of the turn, everything rejects with TurnEndedError. A request that needs a
 * capability the client did not advertise rejects with UnsupportedByClientError; check `client.can`
 * first. If the client answers with an error, a request rejects with RemoteError; if it disconnects,
 * with ConnectionError.
 */
export interface AgentWork extends SessionSender {
  /** Aborted when the work is cancelled or the client disconnects. */
  readonly signal: AbortSignal;
  /** Sends the next part of the answer. After a thought or a tool call it starts a new message. */
  say(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  /** Sends the next part of a thought. */
  think(content: string | ContentBlock, options?: SendOptions): Promise<void>;
  /** Shows a plan, which replaces any earlier plan. */
  plan(entries: readonly PlanEntry[], options?: SendOptions): Promise<void>;
  /** Reports a new tool call and returns a handle to it. Default status: `in_progress`. */
  toolCall(start: ToolCallStart): Promise<ToolCallHandle>;
  /**
   * Reports a new tool call and asks for permission to run it. Default options: "Allow" and "Reject".
   * Resolves as allowed only if the user chose an offered option that allows.
   */
  askPermission(request: ToolPermissionRequest): Promise<ToolPermissionAnswer>;
  /**
   * Asks for permission for a tool call that was reported through {@link SessionSender.update}, and
   * shows it as given here. It sends nothing else about the call. Resolves and rejects like
   * {@link ToolCallHandle.askPermission}.
   */
  askAbout(toolCall: ToolCallUpdate, question?: PermissionQuestion): Promise<PermissionAnswer>;
  /** Reads a text file as the user sees it, including unsaved changes. Needs `fs.readTextFile`. */
  readFile(path: string, range?: ReadRange): Promise<string>;
  /** Writes a text file, and creates it if necessary. Needs `fs.writeTextFile`. */
  writeFile(path: string, content: string, options?: RequestOptions): Promise<void>;
  /**
   * Starts a command in a terminal of the client. Needs `terminal`. On v2, where clients have no
   * terminals, it runs on this machine, and the client sees it as a terminal of the agent: ask for
   * permission first, because no client checks the command. Rejects with SpawnError if it cannot be
   * started here.
   */
  terminal(command: TerminalCommand): Promise<Terminal>;
  /**
   * Reports a terminal whose output the agent has, or gets from elsewhere. Put its `content` into a tool
   * call; {@link ToolCallHandle.reportTerminal} does that by itself.
   */
  reportTerminal(start: TerminalReport): Promise<ReportedTerminal>;
  /** Asks the user to fill in a form. Needs `elicitation.form`. */
  elicit(question: FormQuestion): Promise<ElicitationAnswer>;
  /** Asks the user to open a URL. Needs `elicitation.url`. */
  elicitUrl(question: UrlQuestion): Promise<UrlAnswer>;
}

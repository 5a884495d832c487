import {
  checkParams,
  CLIENT_METHODS,
  type PermissionChoice,
  type ToolKind,
} from "../../../protocol/acp/index.ts";
import {
  allows,
  locateMentions,
  type Mentions,
  OWN_OPTIONS,
  type PermissionTargets,
  type RequestedWork,
  WORK_KINDS,
  type Workspace,
} from "../../../client/index.ts";
import { showCommand } from "../../../client/rules/index.ts";
import { type JsonObject, randomId, unlessAborted } from "../../../base/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { HUB_CODES } from "../errors.ts";
import type { PolicyReply, PolicyRequest } from "../options.ts";
import { type HubVerdict, CANCELLED, chosenOption } from "./verdict.ts";

/** Pure: the work that a request asks a client to do; undefined if its params are invalid or it is another one. */
export function workOf(method: string, params: JsonObject, cwd: string): RequestedWork | undefined {
  switch (method) {
    case CLIENT_METHODS.readTextFile: {
      const checked = checkParams(method, params);
      return checked.ok ? { type: "read_file", path: checked.params.path } : undefined;
    }
    case CLIENT_METHODS.writeTextFile: {
      const checked = checkParams(method, params);
      if (!checked.ok) return undefined;
      const { path, content } = checked.params;
      return { type: "write_file", path, content };
    }
    case CLIENT_METHODS.createTerminal: {
      const checked = checkParams(method, params);
      if (!checked.ok) return undefined;
      const { command, args, env } = checked.params;
      const variables = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
      const folder = checked.params.cwd ?? cwd;
      return { type: "terminal", command, args: args ?? [], cwd: folder, env: variables };
    }
    default:
      return undefined;
  }
}

/** The targets of work, with all links resolved. Nothing has checked them yet. Never rejects. */
export function workTargets(
  workspace: Workspace,
  work: RequestedWork,
  signals: readonly AbortSignal[],
): Promise<PermissionTargets> {
  return locateMentions(workspace, mentionsIn(work), "/", signals);
}

function mentionsIn(work: RequestedWork): Mentions {
  switch (work.type) {
    case "read_file":
    case "write_file":
      return { paths: [work.path], commands: [], isComplete: true };
    case "terminal": {
      const { command, args, cwd, env } = work;
      const words = args.length > 0 ? [command, ...args] : undefined;
      const line = words ? undefined : command;
      return { paths: [], commands: [{ line, words, cwd, env }], isComplete: true };
    }
  }
}

/** A longer text is not shown with the question. */
const MAX_SHOWN_CHARACTERS = 1024 * 1024;

/** Pure: a version 1 permission request about work. `oldText` is what the file holds before. */
function workQuestion(
  sessionId: string,
  work: RequestedWork,
  options: readonly PermissionChoice[],
  oldText: string | null,
): JsonObject {
  return {
    sessionId,
    toolCall: {
      toolCallId: `hub_${randomId()}`,
      kind: WORK_KINDS[work.type],
      status: "pending",
      ...described(work, oldText),
    },
    options: options.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
  };
}

function described(work: RequestedWork, oldText: string | null): JsonObject {
  switch (work.type) {
    case "read_file":
      return { title: `Read ${work.path}`, locations: [{ path: work.path }] };
    case "write_file": {
      const { path, content } = work;
      const locations = [{ path }];
      if (content.length > MAX_SHOWN_CHARACTERS) {
        return { title: `Write ${content.length} characters to ${path}`, locations };
      }
      const diff = { type: "diff", path, oldText, newText: content };
      return { title: `Write ${path}`, locations, content: [diff] };
    }
    case "terminal": {
      const { command, args, cwd, env } = work;
      const words = args.length > 0 ? [command, ...args] : command;
      return { title: `Run ${showCommand(words)}`, rawInput: { command: words, cwd, env } };
    }
  }
}

/** The text of a file inside the folders of a session; null if it cannot be shown. Never rejects. */
async function textOf(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const window = { line: undefined, limit: undefined };
  const request = { sessionId: "", path, ...window, meta: undefined, answerMeta: () => {}, signal };
  const limits = { maxBytes: MAX_SHOWN_CHARACTERS, signals: [signal] };
  return workspace.read(path, request, limits).catch(() => null);
}

/** Asks the controllers of a session about work that an agent requests without a question of its own. */
export class Questioner {
  readonly #sessionId: string;
  readonly #workspace: Workspace;
  /** The kinds of work that a controller decided about for the rest of the session. */
  readonly #remembered = new Map<ToolKind, "allow" | "deny">();

  constructor(sessionId: string, workspace: Workspace) {
    this.#sessionId = sessionId;
    this.#workspace = workspace;
  }

  /** The decision for all work of a kind; undefined if there is none. */
  remembered(kind: ToolKind): HubVerdict | undefined {
    const decision = this.#remembered.get(kind);
    return decision && { decision, by: { type: "remembered" } };
  }

  /** Asks about work. With `once`, the answer holds only for this work. Never rejects. */
  async ask(request: PolicyRequest, work: RequestedWork, once: boolean): Promise<HubVerdict> {
    const { signal } = request;
    const options = OWN_OPTIONS.filter(({ kind }) => !once || !kind.endsWith("_always"));
    const oldText =
      work.type === "write_file" ? await textOf(this.#workspace, work.path, signal) : null;
    const question = workQuestion(this.#sessionId, work, options, oldText);
    let reply: PolicyReply;
    try {
      reply = await unlessAborted(request.ask("session/request_permission", question), signal);
    } catch (error) {
      if (signal.aborted) return CANCELLED;
      const isUnattended = error instanceof RpcError && error.rpcCode === HUB_CODES.notAllowed;
      return isUnattended
        ? { decision: "deny", by: { type: "unattended" } }
        : { decision: "deny", by: { type: "client", client: undefined } };
    }
    const by = { type: "client", client: reply.by } as const;
    const choice = chosenOption(reply.result, options);
    if (!choice) return { decision: "cancel", by };
    const decision = allows(choice) ? "allow" : "deny";
    if (choice.kind.endsWith("_always")) this.#remembered.set(WORK_KINDS[work.type], decision);
    return { decision, by };
  }
}

import type { ToolKind } from "../../../protocol/acp/index.ts";
import {
  allows,
  OWN_OPTIONS,
  type RequestedWork,
  WORK_KINDS,
  type Workspace,
} from "../../../client/index.ts";
import { RpcError } from "../../../transport/rpc/index.ts";
import { unlessAborted } from "../../../base/index.ts";
import { HUB_CODES } from "../errors.ts";
import type { PolicyReply, PolicyRequest } from "../options.ts";
import { CANCELLED, chosen, type HubVerdict } from "./verdict.ts";
import { textOf, workQuestion } from "./work.ts";

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
      const isUnattended = error instanceof RpcError && error.code === HUB_CODES.notAllowed;
      return isUnattended
        ? { decision: "deny", by: { type: "unattended" } }
        : { decision: "deny", by: { type: "client", client: undefined } };
    }
    const by = { type: "client", client: reply.by } as const;
    const choice = chosen(reply.result, options);
    if (!choice) return { decision: "cancel", by };
    const decision = allows(choice) ? "allow" : "deny";
    if (choice.kind.endsWith("_always")) this.#remembered.set(WORK_KINDS[work.type], decision);
    return { decision, by };
  }
}

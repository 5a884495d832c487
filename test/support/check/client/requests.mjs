// Requests of the agent: permission, files, terminals, forms.
import { readText, writeText } from "./files.mjs";
import { has, options, tell } from "./options.mjs";
import { terminalCall } from "./terminals.mjs";

export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Answers a request. Undefined if the answer was sent, or must not be sent. */
export async function answerRequest(state, agent, method, params, id) {
  switch (method) {
    case "session/request_permission":
      return permission(state, agent, params, id);
    case "fs/read_text_file":
    case "fs/write_text_file":
      if (options.noFs && !has("serves-anyway")) throw new Refusal(-32601, "not offered");
      checkSession(state, params);
      return method === "fs/read_text_file" ? readText(params) : writeText(params);
    case "elicitation/create":
      return elicitation(state, agent, params, id);
    default:
      if (!method.startsWith("terminal/")) throw new Refusal(-32601, `unknown method ${method}`);
      if (options.noTerminal && !has("terminals-anyway")) throw new Refusal(-32601, "not offered");
      checkSession(state, params);
      return terminalCall(method, params);
  }
}

/** The error for params that do not fit. */
export function invalid(message) {
  return new Refusal(has("lax-params") ? -32603 : -32602, message);
}

function checkSession(state, { sessionId }) {
  if (sessionId !== state.sessionId && !has("any-session"))
    throw new Refusal(-32002, "unknown session");
}

function permission(state, agent, params, id) {
  if (!Array.isArray(params.options) || typeof params.toolCall !== "object") {
    if (params.title === undefined) throw invalid("options and toolCall are needed");
  }
  if (has("unanswered-foreign") && params.sessionId !== state.sessionId) return undefined;
  if (has("invents-option")) return { outcome: { outcome: "selected", optionId: "allow" } };
  if (state.isCancelled) return { outcome: { outcome: "cancelled" } };
  if (options.ask) {
    const title = params.toolCall?.title ?? state.titles.get(params.toolCall?.toolCallId);
    tell(`may it run? ${title}: ${params.options.map(({ name }) => name).join(", ")}`);
    state.open.set(id, () => {
      state.open.delete(id);
      agent.write({ id, result: { outcome: { outcome: "cancelled" } } });
    });
    return undefined;
  }
  const chosen = choose(params.options);
  if (!chosen) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: chosen.optionId } };
}

function choose(offered) {
  if (has("v2-approves")) return offered.find(({ kind }) => kind === "allow_once");
  if (has("v2-any-kind") && offered[0]?.kind === "_perhaps") return offered[0];
  if (has("first-option")) return offered[0];
  if (options.choose !== undefined) {
    const wanted = offered.find(({ optionId }) => optionId === options.choose);
    return has("first-of-kind") ? offered.find(({ kind }) => kind === wanted?.kind) : wanted;
  }
  const fitting = offered.find(
    ({ kind }) => kind === (options.allow ? "allow_once" : "reject_once"),
  );
  return fitting ?? (has("any-option") ? offered.at(-1) : undefined);
}

async function elicitation(state, agent, { mode, url }, id) {
  if (mode === "url" && has("fetches-url")) await fetch(url).catch(() => {});
  const isOffered = mode === "form";
  if (!isOffered && !has("any-mode")) throw new Refusal(-32602, `mode ${mode} is not offered`);
  if (options.ask) {
    state.open.set(id, () => {
      state.open.delete(id);
      if (!has("forgets-forms")) agent.write({ id, result: { action: "cancel" } });
    });
    return undefined;
  }
  if (options.form) {
    const count = has("sloppy-form") ? "3" : 3;
    return {
      action: "accept",
      content: { name: "Ada", count, ratio: 0.5, isSure: true, colour: "red" },
    };
  }
  return has("accepts-alone") ? { action: "accept", content: {} } : { action: "decline" };
}

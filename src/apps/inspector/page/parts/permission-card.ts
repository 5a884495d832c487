import { html, nothing, type TemplateResult } from "lit-html";
import type { SessionModel, PermissionFlag, TracedPermission } from "../../../../trace/index.ts";
import { duration, words, line } from "./format.ts";
import { icon } from "./ui.ts";

const FLAGS: Readonly<Record<PermissionFlag, string>> = {
  answer_not_offered: "The answer is not among the options that the agent offered.",
  cancelled_without_cancel: "The client answered “cancelled” without cancelling the turn.",
  always: "This answer also decides about later requests.",
  ran_before_answer: "The tool call ran before the answer.",
};

/** The outcome of a request in a word. */
export function permissionOutcome(permission: TracedPermission): {
  readonly text: string;
  readonly tone: "good" | "bad" | "open";
} {
  const { outcome, options, optionId } = permission;
  switch (outcome) {
    case "open":
      return { text: "no answer", tone: "open" };
    case "cancelled":
      return { text: "cancelled", tone: "bad" };
    case "error":
      return { text: "error", tone: "bad" };
    case "selected": {
      const chosen = options.find((option) => option.optionId === optionId);
      const isAllowed = chosen?.kind.startsWith("allow") === true;
      return { text: isAllowed ? "allowed" : "denied", tone: isAllowed ? "good" : "bad" };
    }
  }
}

const DECIDERS: ReadonlyMap<string, string> = new Map([
  ["flag", "a flag of the command line"],
  ["rule", "a rule"],
  ["default", "the default"],
  ["user", "the user"],
]);

/** Who decided, and why, as a sentence. */
function permissionReason({ decision, outcome }: TracedPermission): TemplateResult {
  if (!decision)
    return html`<span class="muted"
      >${
        outcome === "open" ? "There is no answer yet." : "The recording does not say who decided."
      }</span
    >`;
  const { by, hint, outcome: decided } = decision;
  const who = DECIDERS.get(by) ?? line(by);
  const verb = decided === "allowed" ? "Allowed" : decided === "denied" ? "Denied" : "Cancelled";
  return html`<span
    ><strong>${verb}</strong> by
    ${who}${hint === undefined ? nothing : html`${by === "default" ? "; allow it with" : ":"} <code>${line(hint)}</code>`}</span
  >`;
}

/** The options in the agent's order, the answer, its reason, and everything unusual about it. */
export function permissionBody(permission: TracedPermission): TemplateResult {
  const { options, optionId, outcome, flags } = permission;
  const isOffered = options.some((option) => option.optionId === optionId);
  return html`<ul class="options" aria-label="Options">
      ${options.map((option) => {
        const isChosen = outcome === "selected" && option.optionId === optionId;
        return html`<li class=${isChosen ? `option chosen ${tone(option.kind)}` : "option"}>
          ${isChosen ? icon("check") : nothing}<span>${line(option.name)}</span>
          <span class="muted small">${line(words(option.kind))}</span>
          ${isChosen ? html`<span class="sr">(chosen)</span>` : nothing}
        </li>`;
      })}
      ${
        outcome === "selected" && !isOffered
          ? html`<li class="option chosen deny">${line(optionId ?? "")}</li>`
          : nothing
      }
      ${outcome === "cancelled" ? html`<li class="option chosen deny">cancelled</li>` : nothing}
    </ul>
    <p class="reason">${permissionReason(permission)}</p>
    ${flags.map(
      (flag) =>
        html`<p class=${flag === "always" ? "flag muted" : "flag bad"}>
          ${icon("warning")} ${FLAGS[flag]}
        </p>`,
    )}`;
}

function tone(kind: string): string {
  return kind.startsWith("allow") ? "allow" : "deny";
}

/** How long the answer took; empty while there is none. */
export function permissionWait({ askedMs, answeredMs }: TracedPermission): string {
  return answeredMs === undefined ? "" : duration(answeredMs - askedMs);
}

export function permissionSubject(model: SessionModel, permission: TracedPermission): string {
  const call = model.toolCalls[permission.tool];
  return line(call?.title || call?.id || permission.decision?.what || "a request");
}

import { html, nothing, type TemplateResult } from "lit-html";
import type { Finding } from "../../findings.ts";
import { type ListStep, PageView } from "../app.ts";
import { absent, icon, cards, chip, empty, link } from "../parts/ui.ts";
import { count, countOf, line } from "../parts/format.ts";
import type { PageRecording } from "../recording.ts";
import { revealer, stepped } from "../parts/row-list.ts";

/** The most findings of one rule, and the most frames of one finding, that are listed. */
const MOST_SHOWN = 20;
const MOST_FRAMES = 8;

/** Where a side broke a rule of the protocol, by rule. */
export class FindingsView extends PageView {
  readonly #all = new Set<string>();
  readonly #reveal = revealer(".finding.selected");

  render(recording: PageRecording): TemplateResult {
    const found = this.#found(recording);
    if (!found) return unknown(recording);
    if (found.length === 0) return this.#none(recording);
    const errors = found.filter(({ severity }) => severity === "error").length;
    const rules = [...byRule(found)];
    const sorted = rules.toSorted(([, a], [, b]) => rank(a[0]) - rank(b[0]));
    return html`<div class="toolbar">
        ${errors > 0 ? html`<span class="bad figure">${countOf(errors, "error")}</span>` : nothing}
        <span class="figure">${countOf(found.length - errors, "note")}</span>
        <span class="muted">${countOf(rules.length, "rule")}</span>
      </div>
      ${cards(
        "Findings",
        sorted.map(([rule, list]) => this.#rule(rule, list)),
      )}`;
  }

  override drawn(): void {
    this.#reveal(this.app.link.row);
  }

  override move(step: ListStep, recording: PageRecording): void {
    const rows = (this.#found(recording) ?? []).map(({ frames }) => (frames[0] ?? 0) - 1);
    const at = rows.indexOf(this.app.link.row);
    this.app.select(rows[stepped(step, at, rows.length - 1, 5)] ?? -1);
  }

  #none(recording: PageRecording): TemplateResult {
    if (recording.isJudged)
      return absent(
        this.app,
        recording,
        "No findings",
        html`${icon("check")} Every frame that could be checked follows the protocol. Frames of
        unknown methods are not checked.`,
      );
    if (recording.state.type !== "done")
      return empty("No findings so far", "The newest frames are still being checked.");
    return empty(
      "No findings in the checked part",
      recording.findingsFailure ?? "The rest is too long to check.",
    );
  }

  /** Undefined before there is an answer. */
  #found({ findings, model }: PageRecording): readonly Finding[] | undefined {
    const { range } = this.app.link;
    if (!range || !findings) return findings;
    return findings.filter(({ frames }) =>
      this.app.isInRange(model.frames.ms((frames[0] ?? 0) - 1)),
    );
  }

  #rule(rule: string, found: readonly Finding[]): TemplateResult {
    const [first] = found;
    if (!first) return html``;
    const isAll = this.#all.has(rule);
    const shown = isAll ? found : found.slice(0, MOST_SHOWN);
    return html`<section class=${`card rule ${first.severity}`}>
      <div class="card-head">
        <span class="severity">${icon("warning")} ${first.severity}</span>
        <span class="card-title">${line(first.requirement)}</span>
        <span class="side">${first.side}</span>
      </div>
      <div class="card-body">
        <p class="facts">
          <code>${line(rule)}</code>
          ${first.source === "" ? nothing : html`<span class="muted">${line(first.source)}</span>`}
          ${chip("Its frames", () => this.app.go({ view: "frames", query: `bad:${rule}` }))}
        </p>
        <ul class="found">
          ${shown.map((finding) => this.#finding(finding))}
        </ul>
        ${
          found.length > shown.length
            ? link(`${count(found.length - shown.length)} more`, () => {
                this.#all.add(rule);
                this.app.render();
              })
            : nothing
        }
      </div>
    </section>`;
  }

  #finding({ message, frames }: Finding): TemplateResult {
    const isSelected = frames.includes(this.app.link.row + 1);
    return html`<li class=${isSelected ? "finding selected" : "finding"}>
      <span class="numbers">
        ${frames
          .slice(0, MOST_FRAMES)
          .map((number) =>
            chip(`#${count(number)}`, () => this.app.select(number - 1, { open: true })),
          )}
      </span>
      <span>${line(message)}</span>
    </li>`;
  }
}

function unknown({ findingsFailure, state }: PageRecording): TemplateResult {
  const why = findingsFailure ?? (state.type === "failed" ? state.message : undefined);
  return why === undefined
    ? empty("Checking the frames …")
    : empty(html`${icon("warning")} The findings are unavailable`, why);
}

function byRule(found: readonly Finding[]): Map<string, Finding[]> {
  const rules = new Map<string, Finding[]>();
  for (const finding of found) {
    const known = rules.get(finding.rule);
    if (known) known.push(finding);
    else rules.set(finding.rule, [finding]);
  }
  return rules;
}

/** Errors come before notes. */
function rank(finding: Finding | undefined): number {
  return finding?.severity === "error" ? 0 : 1;
}

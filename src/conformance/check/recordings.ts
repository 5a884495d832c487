import {
  type CheckedSide,
  type JudgedConnection,
  judgedIds,
  requirementsFor,
  SessionJudge,
} from "../index.ts";
import {
  type FrameTable,
  paramsOf,
  readWireMessage,
  resultOf,
  type SessionEntry,
  SessionModel,
} from "../../trace/index.ts";
import { asObject, type JsonObject, objectField, stringField } from "../../base/index.ts";
import {
  type CheckReport,
  type CheckResult,
  reportOf,
  reportSummary,
  reportedFrames,
} from "./check-report.ts";
import {
  LEFT_OUT,
  type PassiveResult,
  passiveResult,
  PassiveTotals,
  unjudged,
} from "./run/results.ts";

export interface RecordingCheckOptions {
  readonly side: CheckedSide;
  readonly protocol: 1 | 2;
  /** The ids to judge; the others are skipped. */
  readonly ids: ReadonlySet<string>;
  /** The name of the subject, if the recordings do not have it. */
  readonly name: string;
}

/**
 * Judges recordings by every requirement that frames alone can show, with the judges that `dragoman inspect`
 * uses. The rest is skipped. Adds one recording after the other, so that only one of them is in memory.
 */
export class RecordingCheck {
  readonly #options: RecordingCheckOptions;
  readonly #totals = new PassiveTotals();
  #capabilities: JsonObject = {};

  constructor(options: RecordingCheckOptions) {
    this.#options = options;
  }

  /** Judges a recording. Returns how many connections it has of the chosen version, and of the other one. */
  add(entries: readonly SessionEntry[]): { readonly judged: number; readonly others: number } {
    const model = new SessionModel();
    const judge = new SessionJudge(model);
    for (const entry of entries) {
      const frame = model.append(entry);
      if (frame) judge.saw(frame);
    }
    judge.finish();
    const all = judge.connections;
    const own = all.filter(({ protocol }) => protocol === this.#options.protocol);
    for (const connection of own) {
      const passive = this.#resultOf(connection, model.frames);
      this.#totals.add(passive);
      // A recording cannot be repeated: it shows what happened.
      this.#totals.repeated(passive);
    }
    if (own.length > 0) this.#introduce(model);
    return { judged: own.length, others: all.length - own.length };
  }

  /** The report about everything that was added, after `ms` milliseconds of work. */
  report(ms: number): CheckReport {
    const { side, protocol, name } = this.#options;
    const visible = judgedIds(protocol);
    const results = requirementsFor(side, protocol).map((one): CheckResult => {
      if (!this.#options.ids.has(one.id)) return unjudged(one, "skipped", LEFT_OUT);
      if (visible.has(one.id)) return passiveResult(one, this.#totals);
      return unjudged(one, "skipped", "a recording cannot show it");
    });
    const info =
      objectField(this.#capabilities, `${side}Info`) ?? asObject(this.#capabilities["info"]);
    const subject = {
      side,
      name: stringField(info, "name") ?? name,
      version: stringField(info, "version"),
      command: name,
      protocol,
      capabilities: this.#capabilities,
    };
    return reportOf(subject, reportSummary(results, ms), results);
  }

  /** A violation of the full level comes before a warning about the same requirement. */
  #resultOf({ judge }: JudgedConnection, frames: FrameTable): PassiveResult {
    const own = judge.violations.filter(({ side }) => side === this.#options.side);
    const sorted = [
      ...own.filter(({ level }) => level === undefined),
      ...own.filter(({ level }) => level !== undefined),
    ];
    const violations = sorted.map((violation) => ({
      ...violation,
      lines: reportedFrames(
        violation.frames.map((n) => {
          const isSubject = (frames.direction(n - 1) === "in") === (violation.side === "agent");
          return { n, direction: isSubject ? "in" : "out", line: frames.line(n - 1) };
        }),
      ),
    }));
    return { judged: judge.judged, violations };
  }

  /** Takes the name and the capabilities of the subject from the first `initialize`. */
  #introduce({ lanes, frames }: SessionModel): void {
    if (Object.keys(this.#capabilities).length > 0) return;
    for (const { initialize, initialized } of lanes) {
      const row = this.#options.side === "agent" ? initialized : initialize;
      if (row < 0) continue;
      const message = readWireMessage(frames.line(row));
      this.#capabilities = this.#options.side === "agent" ? resultOf(message) : paramsOf(message);
      return;
    }
  }
}

import {
  type CheckedSide,
  ConnectionJudge,
  readFrame,
  REQUIREMENT_SET,
  requirementsFor,
  SCHEMA_DIGESTS,
  SCHEMA_VERSION,
  type WireFrame,
} from "../conformance/index.ts";
import {
  asObject,
  isJsonObject,
  type JsonObject,
  objectField,
  type RecordedLine,
  stringField,
} from "../wire/index.ts";
import type { CheckReport, CheckResult } from "./result.ts";
import { LEFT_OUT, passiveResult, unjudged } from "./run/results.ts";
import { PassiveTotals } from "./run/totals.ts";
import { summaryOf } from "./summary.ts";
import { evidenceOf } from "./verdicts.ts";

/** Recorded connections to judge. */
export interface RecordingCheckOptions {
  readonly side: CheckedSide;
  readonly protocol: 1 | 2;
  /** The ids to judge; the others are skipped. */
  readonly ids: ReadonlySet<string>;
  /** The name of the subject, if the recordings do not have it. */
  readonly name: string;
}

/**
 * Judges recorded connections by every requirement that traffic alone can show. The rest is skipped. Adds one
 * recording after the other, so that only one of them is in memory.
 */
export class RecordingCheck {
  readonly #options: RecordingCheckOptions;
  readonly #totals = new PassiveTotals();
  #info: JsonObject = {};
  #capabilities: JsonObject = {};

  constructor(options: RecordingCheckOptions) {
    this.#options = options;
  }

  /** Judges the lines of one connection, with the directions that the client saw. */
  add(lines: readonly RecordedLine[]): void {
    const { side, protocol } = this.#options;
    const judge = new ConnectionJudge({ protocol });
    const frames = lines.map(({ ms, direction, line }, index): WireFrame => {
      return { n: index + 1, time: ms, from: direction === "in" ? "agent" : "client", line };
    });
    for (const frame of frames) {
      judge.saw(frame);
      this.#introduce(frame);
    }
    const violations = judge.violations
      .filter((violation) => violation.side === side)
      .map((violation) => ({
        ...violation,
        lines: evidenceOf(
          violation.frames.flatMap((n) => {
            const frame = frames[n - 1];
            if (frame === undefined) return [];
            return [
              {
                n,
                direction: frame.from === side ? ("in" as const) : ("out" as const),
                line: frame.line,
              },
            ];
          }),
        ),
      }));
    const passive = { judged: judge.judged, violations };
    this.#totals.add(passive);
    // A recording cannot be repeated: it shows what happened.
    this.#totals.repeated(passive);
  }

  /** The report about everything that was added, after `ms` milliseconds of work. */
  report(ms: number): CheckReport {
    const { side, protocol, name } = this.#options;
    const results = requirementsFor(side, protocol).map((one): CheckResult => {
      if (!this.#options.ids.has(one.id)) return unjudged(one, "skipped", LEFT_OUT);
      if (one.provoked === "passive") return passiveResult(one, this.#totals);
      return unjudged(one, "skipped", "recordings show only rules about all traffic");
    });
    return {
      v: 1,
      subject: {
        side,
        name: stringField(this.#info, "name") ?? name,
        version: stringField(this.#info, "version"),
        command: name,
        protocol,
        capabilities: this.#capabilities,
      },
      schema: { version: SCHEMA_VERSION, commit: SCHEMA_DIGESTS[protocol] },
      set: REQUIREMENT_SET,
      summary: summaryOf(results, ms),
      results,
    };
  }

  /** Takes the name and the capabilities of the subject from the first `initialize`. */
  #introduce(frame: WireFrame): void {
    const { side } = this.#options;
    if (frame.from !== side || Object.keys(this.#capabilities).length > 0) return;
    const { message } = readFrame(frame);
    const own =
      message.kind === "request" && message.method === "initialize"
        ? message.params
        : message.kind === "result"
          ? message.result
          : undefined;
    if (!isJsonObject(own) || own["protocolVersion"] === undefined) return;
    this.#capabilities = own;
    this.#info = objectField(own, `${side}Info`) ?? asObject(own["info"]);
  }
}

import { STOP_REASONS } from "../../../protocol/acp/index.ts";
import type { ProtocolChoice } from "../../../client/index.ts";
import { usageError } from "./exit.ts";
import { COLOR_CHOICES, type FlagName, OUTPUT_MODES, PROTOCOLS, type TextName } from "./options.ts";
import type { Values } from "./parse.ts";
import { nearest } from "../../../base/index.ts";

export type OutputMode = "text" | "simple" | "jsonl" | "events" | "result";

/** The output mode. `json` is an alias of `jsonl`. Throws a usage error for an unknown mode. */
export function outputMode(values: Values): OutputMode {
  const word = values.text("outputmode");
  const origin = values.origin("outputmode");
  // Only another flag can contradict a flag.
  if (values.flag("jsonl") && origin !== "flag") return "jsonl";
  if (word === undefined) return "text";
  const known = OUTPUT_MODES.find((name) => name === word);
  if (known === undefined) {
    const name = origin === "environment" ? "DRAGOMAN_OUTPUT" : "--outputmode";
    throw usageError(`${name} "${word}" is not one of ${OUTPUT_MODES.join(", ")}`);
  }
  const mode = known === "json" ? "jsonl" : known;
  if (values.flag("jsonl") && mode !== "jsonl") {
    throw usageError(`--jsonl and --outputmode ${word} contradict each other`);
  }
  return mode;
}

/** The value of an option that takes one of these words, if it was given. Throws a usage error for another. */
export function choiceOption<Name extends string, Word extends string>(
  values: Texts<Name>,
  name: Name,
  words: readonly Word[],
  hint?: string,
): Word | undefined {
  const given = values.text(name);
  const word = words.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw usageError(`--${name} "${given}" is not one of ${words.join(", ")}`, hint);
}

export type ColorChoice = (typeof COLOR_CHOICES)[number];

export function colorOption(values: Values): ColorChoice {
  return choiceOption(values, "color", COLOR_CHOICES) ?? "auto";
}

export function protocolOption(values: Values): ProtocolChoice | undefined {
  // "v2" and "2.0" are versions that someone may well write.
  const [, near = "newest"] = /^v?([12])(?:\D|$)/i.exec(values.text("protocol") ?? "") ?? [];
  const word = choiceOption(values, "protocol", PROTOCOLS, `--protocol ${near}`);
  switch (word) {
    case "1":
      return 1;
    case "2":
      return 2;
    default:
      return word;
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest delay that a Node timer accepts. */
const MAX_MS = 2 ** 31 - 1;

/** A duration (`90`, `90s`, `1.5m`, `500ms`, `1h`) in milliseconds; undefined if it is not one. */
export function milliseconds(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text);
  const ms = match === null ? 0 : Math.round(Number(match[1]) * (UNITS[match[2] ?? "s"] ?? 0));
  return ms <= 0 || ms > MAX_MS ? undefined : ms;
}

/** The shortest text for a duration, such as `10m`. */
export function timeOptionText(ms: number): string {
  const [unit = "ms", size = 1] =
    Object.entries(UNITS)
      .toReversed()
      .find(([, each]) => ms !== 0 && ms % each === 0) ?? [];
  return ms === 0 ? "0" : `${ms / size}${unit}`;
}

export function parseTime(text: string, name: string): number {
  const ms = milliseconds(text);
  if (ms === undefined) {
    throw usageError(
      `${name} "${text}" is not a duration`,
      `${name} 90, ${name} 90s or ${name} 5m`,
    );
  }
  return ms;
}

/** Values of options by name, such as those of the command line. */
export interface Texts<Name extends string> {
  readonly text: (name: Name) => string | undefined;
}

/** Reads an option, if it was given. `parse` gets its text and its name with dashes, and throws usage errors. */
function reader<T>(parse: (text: string, name: string) => T) {
  return <Name extends string>(values: Texts<Name>, name: Name): T | undefined => {
    const text = values.text(name);
    return text === undefined ? undefined : parse(text, `--${name}`);
  };
}

/** The value of a time option in milliseconds, if it was given. */
export const timeOption = reader(parseTime);

const AGE_UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Converts an age (`12h`, `30d`, `8w`) to milliseconds, or throws a usage error. */
export function parseAge(text: string, name: string): number {
  const match = /^(\d{1,6})(h|d|w)$/.exec(text);
  if (match === null)
    throw usageError(`${name} "${text}" is not an age`, `${name} 12h, ${name} 30d or ${name} 8w`);
  return Number(match[1]) * (AGE_UNITS[match[2] ?? ""] ?? 0);
}

/** The value of an option that counts something, if it was given. Throws a usage error. */
export const countOption = reader((text, name) => {
  if (!/^\d{1,15}$/.test(text)) throw usageError(`${name} "${text}" is not a whole number`);
  return Number(text);
});

/** The value of an option that counts something from 1 on, if it was given. Throws a usage error. */
export const positiveOption = reader((text, name) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw usageError(`${name} "${text}" is not a number from 1 on`);
  return Number(text);
});

/** The value of an option that is an amount of money, if it was given. Throws a usage error. */
export const amountOption = reader((text, name) => {
  if (!/^\d{1,12}(?:\.\d{1,12})?$/.test(text))
    throw usageError(`${name} "${text}" is not an amount`, `${name} 0.50`);
  return Number(text);
});

/** The first option about the page of `inspect` that was given. */
export function pageOption(values: Values): FlagName | TextName | undefined {
  const flags = ["no-open", "keep-secrets"] as const;
  const texts = ["port", "url-file"] as const;
  return (
    flags.find((name) => values.flag(name)) ?? texts.find((name) => values.text(name) !== undefined)
  );
}

/** How long `--warm` keeps an agent, in milliseconds: 0 for `off`, undefined without the option. */
export function warmOption(values: Values): number | undefined {
  return values.text("warm") === "off" ? 0 : timeOption(values, "warm");
}

/** The protocol's stop reasons, and `any` for all of them except `end_turn`. */
const FAIL_ON: readonly string[] = [...STOP_REASONS, "any"];

/** Whether `--fail-on` names a stop reason. Throws a usage error for an unknown reason. */
export function failOnOption(values: Values): (stopReason: string) => boolean {
  const text = values.text("fail-on");
  if (text === undefined) return () => false;
  const reasons = new Set(text.split(",").map((word) => word.trim()));
  if (reasons.has(""))
    throw usageError("--fail-on needs stop reasons", "--fail-on refusal,max_tokens");
  for (const reason of reasons) {
    if (FAIL_ON.includes(reason)) continue;
    const near = nearest(reason, FAIL_ON);
    throw usageError(
      `--fail-on "${reason}" is not one of ${FAIL_ON.join(", ")}`,
      near === undefined ? undefined : `--fail-on ${near}`,
    );
  }
  return (reason) => reasons.has(reason) || (reasons.has("any") && reason !== "end_turn");
}

/** The key and value pairs of `--set`. Throws a usage error for a text that is not one. */
export function setOptions(given: readonly string[]): readonly (readonly [string, string])[] {
  return given.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw usageError(`--set "${text}" is not KEY=VALUE`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
}

/**
 * The value of an option on the command line. Settings and variables set defaults for the runs of an agent,
 * such as its model, which must not change a check.
 */
export function givenOption(values: Values, name: TextName): string | undefined {
  return values.of(name).at(-1);
}

/** Pure: whether a text is an origin as browsers send it, such as `https://editor.example`. */
export function isOrigin(text: string): boolean {
  return text !== "null" && URL.canParse(text) && new URL(text).origin === text;
}

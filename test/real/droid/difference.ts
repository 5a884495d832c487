/** Describes how one version of Droid differs from another. Pure. */
import type { TranscriptEntry } from "../../droid/replay.ts";

/** The traits of a version that are visible in a set of transcripts. */
export interface Traits {
  readonly protocol: string | undefined;
  /** The fields seen in each kind of frame. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

type Fields = Record<string, unknown>;

export function traitsOf(entries: readonly TranscriptEntry[]): Traits {
  const fields = new Map<string, Set<string>>();
  let protocol: string | undefined;
  const record = (kind: string, value: unknown): void => {
    const known = fields.get(kind) ?? new Set();
    fields.set(kind, known);
    if (typeof value !== "object" || value === null) return;
    for (const key of Object.keys(value)) known.add(key);
  };
  for (const { dir, frame } of entries) {
    if (dir !== "out") continue;
    if (typeof frame["factoryProtocolVersion"] === "string")
      protocol = frame["factoryProtocolVersion"];
    const params = (frame["params"] ?? {}) as Fields;
    const notification = params["notification"] as Fields | undefined;
    if (notification) {
      record(`notification ${String(notification["type"])}`, notification);
      if (notification["type"] === "create_message") record("message", notification["message"]);
      if (notification["type"] === "settings_updated") record("settings", notification["settings"]);
    } else if (typeof frame["method"] === "string") {
      record(`request ${frame["method"]}`, params);
      for (const use of (params["toolUses"] ?? []) as { details?: Fields }[])
        record(`confirmation ${String(use.details?.["type"])}`, use.details);
    }
  }
  return { protocol, fields };
}

/** Describes the differences, one per line. A kind of frame that only one version has takes one line. */
export function traitDifferences(known: Traits, other: Traits): string[] {
  const lines: string[] = [];
  if (known.protocol !== other.protocol)
    lines.push(`the protocol is ${other.protocol}, not ${known.protocol}`);
  for (const kind of [...new Set([...known.fields.keys(), ...other.fields.keys()])].toSorted()) {
    const before = known.fields.get(kind);
    const after = other.fields.get(kind);
    if (!before) lines.push(`new: ${kind}, with ${[...(after ?? [])].toSorted().join(", ")}`);
    else if (!after) lines.push(`not seen: ${kind}`);
    else {
      const added = [...after].filter((field) => !before.has(field)).toSorted();
      const missing = [...before].filter((field) => !after.has(field)).toSorted();
      if (added.length > 0) lines.push(`${kind} has new fields: ${added.join(", ")}`);
      if (missing.length > 0) lines.push(`${kind} lacks fields: ${missing.join(", ")}`);
    }
  }
  return lines;
}

/**
 * Describes how the events of a scenario differ: which ones the other version lacks, and which it
 * has in addition.
 */
export function eventDifferences(known: readonly string[], other: readonly string[]): string[] {
  if (known.join("\n") === other.join("\n")) return [];
  const missing = without(known, other).map((line) => `lacks ${line}`);
  const more = without(other, known).map((line) => `also has ${line}`);
  return missing.length + more.length > 0
    ? [...missing, ...more]
    : ["has the events in a different order"];
}

/** Long enough to distinguish lines, short enough to read. */
const MAX_LENGTH = 140;

/**
 * Separates the differences that most scenarios have in common, so that they are listed once.
 * Differences are compared by kind, regardless of which tool was called with which input.
 */
export function groupDifferences(differences: ReadonlyMap<string, readonly string[]>): {
  readonly common: readonly string[];
  readonly rest: ReadonlyMap<string, readonly string[]>;
} {
  const counts = new Map<string, number>();
  for (const lines of differences.values())
    for (const kind of new Set(lines.map(kindOf))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const isCommon = (line: string): boolean =>
    differences.size > 2 && (counts.get(kindOf(line)) ?? 0) * 2 > differences.size;
  const all = [...differences.values()].flat();
  const common = [...new Set(all.filter(isCommon).map(kindOf))];
  const rest = new Map<string, readonly string[]>();
  for (const [title, lines] of differences) {
    const own = counted(lines.filter((line) => !isCommon(line)).map(cut));
    if (own.length > 0) rest.set(title, own);
  }
  return { common, rest };
}

function kindOf(line: string): string {
  return line.replace(/(tool_call) .* (queued|executing)$/, "$1, $2");
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH)}…`;
}

function counted(lines: readonly string[]): string[] {
  return [...new Set(lines)].map((line) => {
    const times = lines.filter((other) => other === line).length;
    return times === 1 ? line : `${line} (${times} times)`;
  });
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index === -1) return true;
    left.splice(index, 1);
    return false;
  });
}

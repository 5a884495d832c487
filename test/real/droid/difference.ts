/** How a Droid differs from another, in words. Pure. */
import type { TranscriptEntry } from "../../droid/replay.ts";

/** What a set of transcripts shows of a version. */
export interface Traits {
  readonly protocol: string | undefined;
  /** For each kind of frame, the fields that were seen in it. */
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

type Fields = Record<string, unknown>;

export function traitsOf(entries: readonly TranscriptEntry[]): Traits {
  const fields = new Map<string, Set<string>>();
  let protocol: string | undefined;
  const note = (kind: string, value: unknown): void => {
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
      note(`notification ${String(notification["type"])}`, notification);
      if (notification["type"] === "create_message") note("message", notification["message"]);
      if (notification["type"] === "settings_updated") note("settings", notification["settings"]);
    } else if (typeof frame["method"] === "string") {
      note(`request ${frame["method"]}`, params);
      for (const use of (params["toolUses"] ?? []) as { details?: Fields }[])
        note(`confirmation ${String(use.details?.["type"])}`, use.details);
    }
  }
  return { protocol, fields };
}

/** Says, line by line, what one has and the other lacks. Kinds that were never seen are one line. */
export function traitDifferences(known: Traits, other: Traits): string[] {
  const lines: string[] = [];
  if (known.protocol !== other.protocol)
    lines.push(`its protocol is ${other.protocol}, not ${known.protocol}`);
  for (const kind of [...new Set([...known.fields.keys(), ...other.fields.keys()])].toSorted()) {
    const before = known.fields.get(kind);
    const after = other.fields.get(kind);
    if (!before) lines.push(`new: ${kind}, with ${[...(after ?? [])].toSorted().join(", ")}`);
    else if (!after) lines.push(`not seen: ${kind}`);
    else {
      const added = [...after].filter((field) => !before.has(field)).toSorted();
      const gone = [...before].filter((field) => !after.has(field)).toSorted();
      if (added.length > 0) lines.push(`${kind} has more fields: ${added.join(", ")}`);
      if (gone.length > 0) lines.push(`${kind} lacks the fields: ${gone.join(", ")}`);
    }
  }
  return lines;
}

/** Says how the events of a scenario differ: what the other lacks, and what it also has. */
export function eventDifferences(known: readonly string[], other: readonly string[]): string[] {
  if (known.join("\n") === other.join("\n")) return [];
  const missing = without(known, other).map((line) => `lacks ${line}`);
  const more = without(other, known).map((line) => `also has ${line}`);
  return missing.length + more.length > 0 ? [...missing, ...more] : ["has another order of events"];
}

/** Long enough to tell lines apart, short enough to be read. */
const SHOWN = 140;

/**
 * Takes out of the differences of several scenarios what most of them have in common, so that it
 * is told once. A difference is counted by its kind: whichever tool was called with whatever input.
 */
export function inAll(differences: ReadonlyMap<string, readonly string[]>): {
  readonly throughout: readonly string[];
  readonly rest: ReadonlyMap<string, readonly string[]>;
} {
  const counts = new Map<string, number>();
  for (const lines of differences.values())
    for (const kind of new Set(lines.map(kindOf))) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const isCommon = (line: string): boolean =>
    differences.size > 2 && (counts.get(kindOf(line)) ?? 0) * 2 > differences.size;
  const all = [...differences.values()].flat();
  const throughout = [...new Set(all.filter(isCommon).map(kindOf))];
  const rest = new Map<string, readonly string[]>();
  for (const [title, lines] of differences) {
    const own = counted(lines.filter((line) => !isCommon(line)).map(cut));
    if (own.length > 0) rest.set(title, own);
  }
  return { throughout, rest };
}

function kindOf(line: string): string {
  return line.replace(/(tool_call) .* (queued|executing)$/, "$1, $2");
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
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
    const at = left.indexOf(line);
    if (at === -1) return true;
    left.splice(at, 1);
    return false;
  });
}

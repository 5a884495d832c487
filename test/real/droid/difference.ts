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

/** Says how the events of a scenario differ. */
export function eventDifferences(known: readonly string[], other: readonly string[]): string[] {
  if (known.join("\n") === other.join("\n")) return [];
  const missing = without(known, other).map((line) => `lacks: ${line}`);
  const more = without(other, known).map((line) => `has more: ${line}`);
  return missing.length + more.length > 0 ? [...missing, ...more] : ["has another order of events"];
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

// Mutations that break a frame. All randomness comes from the given source, so a seed repeats a run.

export type Random = () => number;

const below = (random: Random, end: number): number => Math.floor(random() * end);

function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[below(random, list.length)];
  if (item === undefined) throw new Error("the list is empty");
  return item;
}

/** Placeholder for raw text that `JSON.stringify` cannot produce. */
const RAW = "@@raw@@";
const rawTexts = [
  "1e400",
  "-1e400",
  "123456789012345678901234567890",
  "1e-400",
  "-0",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  "\u{1F600}",
  "NaN",
  "undefined",
  '{"__proto__":{"polluted":true}}',
  '{"a":1,"a":2}',
  '{"toString":1,"constructor":{"prototype":{}}}',
];

const wrongValues: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  Number.MAX_VALUE,
  "",
  "x",
  "\ud800",
  "a".repeat(5000),
  [],
  [[]],
  [null, 1, "a", {}],
  {},
  { type: "text" },
  { length: 3, 0: "a" },
  RAW,
];

type Path = readonly (string | number)[];

/** The paths of all nested values. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, child]) =>
    pathsOf(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return path.length === 0 ? below : [path, ...below];
}

/** A copy of the frame with a change at one path. */
function changed(
  frame: object,
  path: Path,
  change: (holder: Record<string, unknown>, key: string) => void,
): object {
  const copy = structuredClone(frame) as Record<string, unknown>;
  let holder = copy;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string, unknown>;
  change(holder, String(path.at(-1)));
  return copy;
}

function written(random: Random, frame: object): string {
  return JSON.stringify(frame).replaceAll(`"${RAW}"`, () => pick(random, rawTexts));
}

function deepText(random: Random): string {
  const depth = pick(random, [10, 100, 1000, 1000, 12_000]);
  const [open, close] = pick(random, [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

const mutations: readonly ((random: Random, frame: object) => string | Buffer)[] = [
  function wrongType(random, frame) {
    const path = pick(random, pathsOf(frame));
    return written(
      random,
      changed(frame, path, (holder, key) => {
        holder[key] = pick(random, wrongValues);
      }),
    );
  },
  function missing(random, frame) {
    const path = pick(random, pathsOf(frame));
    return written(
      random,
      changed(frame, path, (holder, key) => delete holder[key]),
    );
  },
  function renamed(random, frame) {
    const path = pick(random, pathsOf(frame));
    const name = pick(random, ["", "@type", "id", "method", "result", "error", "toJSON", "then"]);
    return written(
      random,
      changed(frame, path, (holder, key) => {
        holder[name] = holder[key];
        if (random() < 0.5) delete holder[key];
      }),
    );
  },
  function deep(random, frame) {
    const path = pick(random, pathsOf(frame));
    const hole = changed(frame, path, (holder, key) => {
      holder[key] = "@@deep@@";
    });
    return JSON.stringify(hole).replace('"@@deep@@"', () => deepText(random));
  },
  function flipped(random, frame) {
    const bytes = Buffer.from(JSON.stringify(frame));
    for (let flips = 1 + below(random, 4); flips > 0; flips--) {
      const at = below(random, bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
    }
    return bytes;
  },
  function truncated(random, frame) {
    const bytes = Buffer.from(JSON.stringify(frame));
    const at = below(random, bytes.length);
    return random() < 0.5 ? bytes.subarray(0, at) : bytes.subarray(at);
  },
  function spliced(random, frame) {
    const line = JSON.stringify(frame);
    const at = below(random, line.length);
    const what = pick(random, [
      "\r",
      "\0",
      "\ufeff",
      "\u2028",
      '"',
      "{",
      "}",
      "\\",
      "\ud800",
      "[[[",
    ]);
    return line.slice(0, at) + what + line.slice(at);
  },
  function glued(random, frame) {
    const line = JSON.stringify(frame);
    return pick(random, [
      line + line,
      `noise ${line}`,
      `${line} noise`,
      `[${line}]`,
      `[${line},${line}]`,
      `"${line}"`,
      '{"'.repeat(20) + line,
    ]);
  },
  function garbage(random) {
    return Buffer.from(Array.from({ length: below(random, 200) }, () => below(random, 256)));
  },
];

/** One broken frame as the bytes of a line, without its newline. */
export function mutated(random: Random, corpus: readonly object[]): Buffer {
  const made = pick(random, mutations)(random, pick(random, corpus));
  return typeof made === "string" ? Buffer.from(made) : made;
}

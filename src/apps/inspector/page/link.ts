/** The views, in the order of their tabs and keys. */
export const VIEWS = [
  "conversation",
  "timeline",
  "frames",
  "tools",
  "permissions",
  "numbers",
  "findings",
  "stderr",
  "compare",
] as const;

export type ViewName = (typeof VIEWS)[number];

export const DETAIL_FORMS = ["tree", "raw", "pair"] as const;

export type DetailForm = (typeof DETAIL_FORMS)[number];

/** Everything about the page that its address says. */
export interface PageLink {
  readonly view: ViewName;
  /** The session that is shown; empty for the first one. */
  readonly session: string;
  /** The session that it is compared with; empty for the next one. */
  readonly other: string;
  /** The selected frame, by its row; -1 for none. */
  readonly row: number;
  /** The form of the detail that is open; undefined if it is closed. */
  readonly detail: DetailForm | undefined;
  readonly query: string;
  /** The stretch of time, in milliseconds, that everything is narrowed to. */
  readonly range: readonly [from: number, to: number] | undefined;
}

/** The page as it opens without any link. */
export const FIRST_LINK: PageLink = {
  view: "conversation",
  session: "",
  other: "",
  row: -1,
  detail: undefined,
  query: "",
  range: undefined,
};

/** Reads the fragment of an address. Parts that it does not understand count as missing. */
export function parseLink(fragment: string): PageLink {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const number = Number(fields.get("f") ?? "");
  const range = (fields.get("t") ?? "").split("-").map(Number);
  const [from = Number.NaN, to = Number.NaN] = range;
  return {
    view: VIEWS.find((view) => view === fields.get("v")) ?? FIRST_LINK.view,
    session: fields.get("s") ?? "",
    other: fields.get("o") ?? "",
    row: Number.isSafeInteger(number) && number > 0 ? number - 1 : -1,
    detail: DETAIL_FORMS.find((form) => form === fields.get("d")),
    query: fields.get("q") ?? "",
    range: range.length === 2 && from >= 0 && to > from ? [from, to] : undefined,
  };
}

/** Writes the fragment of an address, with its `#`. Frames count from 1, as people count them. */
export function formatLink(link: PageLink): string {
  const { view, session, other, row, detail, query, range } = link;
  const fields = new URLSearchParams({ v: view });
  if (session !== "") fields.set("s", session);
  if (other !== "") fields.set("o", other);
  if (row >= 0) fields.set("f", String(row + 1));
  if (detail !== undefined) fields.set("d", detail);
  if (query !== "") fields.set("q", query);
  if (range) fields.set("t", range.map((ms) => Math.round(ms)).join("-"));
  return `#${fields.toString()}`;
}

/** Takes the token out of a fragment. */
export function splitToken(fragment: string): {
  readonly token: string | undefined;
  readonly rest: string;
} {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const token = fields.get("token") ?? undefined;
  fields.delete("token");
  const rest = fields.toString();
  return { token, rest: rest === "" ? "" : `#${rest}` };
}

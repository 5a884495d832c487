/** A change to a file. */
export interface DiffText {
  readonly path: string;
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

/** One line of a diff. */
export interface DiffLine {
  readonly type: "hunk" | "same" | "added" | "removed";
  readonly text: string;
  /** Its index in the new text, or in the old one if it was removed. */
  readonly line: number;
}

export const SIGNS: Readonly<Record<DiffLine["type"], string>> = {
  hunk: "",
  same: " ",
  added: "+",
  removed: "-",
};

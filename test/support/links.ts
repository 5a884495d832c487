// The links of Markdown pages, and the headings they can lead to.

export interface Link {
  /** The page it leads to, relative to the root of the repository. */
  readonly path: string;
  /** The part after `#`; undefined if there is none. */
  readonly anchor: string | undefined;
}

/** The links of a page that lead to files of the repository. Images count too. */
export function relativeLinks(page: string, text: string): Link[] {
  return [...withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => {
      const { pathname, hash } = new URL(target, `file:///${page}`);
      return { path: pathname.slice(1), anchor: hash === "" ? undefined : hash.slice(1) };
    });
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(text: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading = ""] of text.replaceAll(/^```[^]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; found.has(anchor); count++) anchor = `${slug}-${count}`;
    found.add(anchor);
  }
  return found;
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

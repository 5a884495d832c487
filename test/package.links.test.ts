// The pages of the package. There is no repository on the web that a link could lead to, so everything
// that a page links to must be in the package.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { anchorsOf, relativeLinks } from "./support/links.ts";
import { root } from "./support/package.ts";

const run = promisify(execFile);

/** The files that `npm pack` would take, apart from dist. */
let shipped: ReadonlySet<string>;
let pages: readonly string[];

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    shell: process.platform === "win32",
    maxBuffer: 1 << 26,
  });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  shipped = new Set(packed.files.map(({ path }) => path));
  pages = [...shipped].filter((path) => path.endsWith(".md") && !path.startsWith("docs/api/"));
}, 60_000);

function isShipped(path: string): boolean {
  return [...shipped].some((file) => file === path || file.startsWith(`${path}/`));
}

describe("the pages in the package", () => {
  it("include the README and the documents", () => {
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/library.md"]));
  });

  it("link only to files in the package, and to headings that exist", async () => {
    const dead = pages.map(async (page) => {
      const text = await readFile(join(root, page), "utf8");
      const links = relativeLinks(page, text).map(async ({ path, anchor }) => {
        if (!isShipped(path)) return [`${page} links to ${path}, which is not in the package`];
        if (anchor === undefined) return [];
        const anchors = anchorsOf(await readFile(join(root, path), "utf8"));
        return anchors.has(anchor)
          ? []
          : [`${page} links to ${path}#${anchor}, which has no such heading`];
      });
      return (await Promise.all(links)).flat();
    });
    expect((await Promise.all(dead)).flat()).toEqual([]);
  });
});

describe("the rules", () => {
  it.each([
    ["[a](b.md)", [{ path: "docs/b.md", anchor: undefined }]],
    [
      "[a](../b.md#c-d) and ![e](f.svg)",
      [
        { path: "b.md", anchor: "c-d" },
        { path: "docs/f.svg", anchor: undefined },
      ],
    ],
    ["[a](#b)", [{ path: "docs/page.md", anchor: "b" }]],
    ["[a](https://example.com/b.md)", []],
    ["`[a](b.md)`\n\n```md\n[a](b.md)\n```\n", []],
  ])("find the links of %s", (text, links) => {
    expect(relativeLinks("docs/page.md", text)).toEqual(links);
  });

  it("give headings the anchors that GitHub gives them", () => {
    const text = "# The `a.b()` call\n\n## Time\n\n```sh\n# not a heading\n```\n\n## Time\n";
    expect([...anchorsOf(text)]).toEqual(["the-ab-call", "time", "time-1"]);
  });
});

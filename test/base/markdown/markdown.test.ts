import { describe, expect, it } from "vitest";
import { safeLink } from "../../../src/base/markdown/index.ts";

describe("an address that a click opens", () => {
  it.each([
    ["https://example.com/a?b#c", "https://example.com/a?b#c"],
    ["mailto:a@b.c", "mailto:a@b.c"],
    ["http://exämple.com/ü", "http://xn--exmple-cua.com/%C3%BC"],
    ["https://x.y/a b\u001b]0;t\u0007", "https://x.y/a%20b%1B]0;t"],
    ["javascript:alert(1)", undefined],
    ["file:///etc/passwd", undefined],
    ["/relative", undefined],
    ["ssh://x", undefined],
    [`https://x.y/${"a".repeat(3000)}`, undefined],
  ])("%j is %j", (href, link) => {
    expect(safeLink(href)).toBe(link);
  });
});

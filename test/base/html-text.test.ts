import { expect, it } from "vitest";
import { escapeHtml } from "../../src/base/index.ts";

it.each([
  ["<a href=\"x\" title='y'>&", "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;"],
  ["tab\tand\nline", "tab\tand\nline"],
  ["bell\u0007 escape\u001b[2J nul\0", "bell\ufffd escape\ufffd[2J nul\ufffd"],
  ["left\u202eright", "left&#x202e;right"],
  ["漢字 😀", "漢字 😀"],
])("writes %j as text", (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

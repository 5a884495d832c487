import { describe, expect, it } from "vitest";
import { exportPage, pageCsp } from "../../../../src/apps/inspector/export/page.ts";

const PAGE = `<!doctype html>
<html lang="en" data-script="sha256-a" data-style="sha256-b">
<head><!--csp--></head><body><!--data--><script type="module">1</script></body></html>`;
const info = { id: "1", name: "</script><!-- $& a", live: true, losses: [] };

describe("an exported page", () => {
  const html = exportPage(PAGE, [{ info, recording: "H4sI", findings: [] }]);

  it("holds the sessions as text that cannot end its element", () => {
    expect(html).toContain('<script type="application/gzip+base64" id="recording-1">H4sI</script>');
    expect(html).toContain(String.raw`\u003c/script>\u003c!-- $& a`);
    expect(html.match(/<\/script>/g)).toHaveLength(5);
  });

  it("is not live anymore", () => {
    expect(html).toContain('"live":false');
  });

  it("has a policy that allows its own script and no connection", () => {
    expect(html).toContain("script-src 'sha256-a'; style-src 'sha256-b'");
    expect(html).toContain("connect-src 'none'");
    expect(html).not.toContain("frame-ancestors");
  });

  it("refuses ids and data that could be markup", () => {
    expect(() =>
      exportPage(PAGE, [{ info: { ...info, id: '"><' }, recording: "", findings: [] }]),
    ).toThrow("not allowed in a page");
    expect(() => exportPage(PAGE, [{ info, recording: "</script>", findings: [] }])).toThrow(
      "not allowed in a page",
    );
  });
});

it("a served page may connect to its server, and cannot be framed", () => {
  expect(pageCsp(PAGE, true)).toContain("connect-src 'self'");
  expect(pageCsp(PAGE, true)).toContain("frame-ancestors 'none'");
});

it("another text is not the page", () => {
  expect(() => pageCsp("<html>", true)).toThrow("not the page of dragoman inspect");
});

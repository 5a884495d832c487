// The templates of the page of dragoman inspect, in a real browser.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startChromium } from "./chromium.ts";

let browser: Browser;
let page: Page;
let script: string;

beforeAll(async () => {
  const entry = fileURLToPath(new URL("../../src/inspect/page/template.ts", import.meta.url));
  const options = { bundle: true, write: false, format: "iife", globalName: "templates" } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...options });
  script = outputFiles[0]?.text ?? "";
  browser = await startChromium();
});
afterAll(() => browser?.close());
beforeEach(async () => {
  await page?.close();
  page = await browser.newPage();
  await page.addScriptTag({ content: `${script}\nvar { html, nothing, render } = templates;` });
});

/** Runs code that calls `show(value)`, and returns the HTML after each call, without comments. */
function drawn(code: string): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const root = document.createElement("div");
    const seen = [];
    const show = (value) => {
      render(value, root);
      seen.push(root.innerHTML.replaceAll(/<!--.*?-->/g, ""));
    };
    ${code}
    return seen;
  })()`);
}

it("writes values as text, in content and in attributes", async () => {
  const evil = '"><img src=x onerror="alert(1)">';
  const code = `
    const evil = ${JSON.stringify(evil)};
    show(html\`<p title=\${evil}>\${evil}</p>\`);
    const [own, ...others] = root.querySelectorAll("*");
    seen.splice(0, 1, own.title, own.textContent, String(others.length));`;
  expect(await drawn(code)).toEqual([evil, evil, "0"]);
});

it("takes no object for a template that a template did not make", async () => {
  const fake = '{ strings: Object.assign(["<b>x</b>"], { raw: ["<b>x</b>"] }), values: [] }';
  expect(await drawn(`show(html\`<p>\${${fake}}</p>\`)`)).toEqual(["<p></p>"]);
});

it("changes only the differences", async () => {
  const code = `
    const view = (name) => html\`<p class="a \${name} b"><i>\${name}</i></p>\`;
    show(view("one"));
    const before = root.querySelector("p");
    show(view("two"));
    seen.push(String(before === root.querySelector("p")));`;
  expect(await drawn(code)).toEqual([
    '<p class="a one b"><i>one</i></p>',
    '<p class="a two b"><i>two</i></p>',
    "true",
  ]);
});

it("lets lists grow, shrink and change their kind", async () => {
  const code = `
    const view = (value) => html\`<ul>\${value}</ul>\`;
    const item = (name) => html\`<li>\${name}</li>\`;
    for (const list of [["a"], ["a", "b", "c"], ["c"], []]) show(view(list.map(item)));
    show(view("none"));
    show(view(item("d")));
    show(view([item("e"), "f", [item("g")]]));
    show(view(nothing));`;
  expect(await drawn(code)).toEqual([
    "<ul><li>a</li></ul>",
    "<ul><li>a</li><li>b</li><li>c</li></ul>",
    "<ul><li>c</li></ul>",
    "<ul></ul>",
    "<ul>none</ul>",
    "<ul><li>d</li></ul>",
    "<ul><li>e</li>f<li>g</li></ul>",
    "<ul></ul>",
  ]);
});

it("moves elements between the places of a list", async () => {
  const code = `
    const [a, b, c] = ["a", "b", "c"].map((name) => document.createElement(name));
    for (const list of [[a, b], [b, c], [c, b, a], [a]]) show(html\`<p>\${list}</p>\`);`;
  expect(await drawn(code)).toEqual([
    "<p><a></a><b></b></p>",
    "<p><b></b><c></c></p>",
    "<p><c></c><b></b><a></a></p>",
    "<p><a></a></p>",
  ]);
});

it("sets attributes, switches and properties", async () => {
  const code = `
    const view = (on, text) =>
      html\`<input aria-label=\${on ? text : nothing} ?disabled=\${on} .value=\${text} />\`;
    show(view(true, "x"));
    show(view(false, "y"));
    seen.push(root.querySelector("input").value);`;
  expect(await drawn(code)).toEqual(['<input aria-label="x" disabled="">', "<input>", "y"]);
});

it("calls the listener that was drawn last, once", async () => {
  const code = `
    const view = (name) => html\`<button @click=\${() => seen.push(name)}></button>\`;
    show(view("one"));
    show(view("two"));
    root.querySelector("button").click();`;
  expect(await drawn(code)).toEqual(["<button></button>", "<button></button>", "two"]);
});

// Secrets in addresses: in the URL of an MCP server, in what an agent prints, in a command line.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { words } from "../../support/words.ts";
import { recorder } from "../../../src/transport/wire/recording/recorder.ts";
import { redactLine, redactText } from "../../../src/base/redact/redact.ts";
import { hideTokens, REDACTED } from "../../../src/base/redact/secrets.ts";

/** A value that no shape recognizes. */
const VALUE = ["not", "a", "real", "key"].join("-");

const NAMES = words(`
  api_key apikey apiKey API-KEY api%5Fkey %61pi_key x-api-key key KEY token access_token
  accessToken id_token refresh_token private_token auth auth_token authorization sig signature
  X-Amz-Signature X-Amz-Credential X-Amz-Security-Token X-Goog-Signature code code_verifier
  password passwd pwd pass secret client_secret client_assertion app_key subscription-key otp jwt
  config[token]`);

const MORE = "&x=1";

describe("a secret parameter of an address", () => {
  it.each(NAMES)("is hidden: %s", (name) => {
    for (const [before, after] of [
      ["https://h.example/mcp?", ""],
      ["https://h.example/mcp?", MORE],
      ["https://h.example/mcp?y=2&", MORE],
      ["https://h.example/#", ""],
      ["https://h.example/#y=2&", MORE],
      ["https://h.example/?", "#top"],
      ["wss://h.example:8080/?y&", " rest"],
      ["see (https://h.example/?", "), then"],
      ["[docs](https://h.example/?", ")"],
      ["GET /v1/models?", " HTTP/1.1"],
      ["h.example/mcp?", ""],
      [String.raw`{"url":"https:\/\/h.example\/?`, '"}'],
      [String.raw`{"url":"https://h.example/?y=2\u0026`, String.raw`\u0026x=1"}`],
      ["<a href='https://h.example/?y=2&amp;", "'>"],
      ["https://h.example/?y=2;", ""],
      ["https://h.example/?y=2&&", ""],
    ] as const) {
      const text = `${before}${name}=${VALUE}${after}`;
      expect(hideTokens(text)).toBe(`${before}${name}=${REDACTED}${after}`);
    }
  });

  it("is hidden inside an address that is a parameter itself", () => {
    const inner = `https://h.example/?a=1&api_key=${VALUE}&b=2`;
    const once = encodeURIComponent(inner);
    const twice = encodeURIComponent(once);
    const clean = (text: string): string => text.replace(VALUE, REDACTED);
    for (const address of [once, twice]) {
      const text = `https://login.example/?next=${address}&lang=en`;
      expect(hideTokens(text)).toBe(clean(text));
    }
  });

  it.each([
    ["?access_token=", ""],
    ["#access_token=", "&token_type=bearer"],
    ["client_id=me&client_secret=", "&grant_type=x"],
    ["page.html?token=", ""],
  ])("is hidden in %s... without an address if its name is clear", (before, after) => {
    expect(hideTokens(before + VALUE + after)).toBe(before + REDACTED + after);
  });

  it("is hidden in a recording: in a frame, the command line, stderr, a note and a decision", () => {
    let recorded = "";
    const url = `https://me:${VALUE}@h.example/mcp?api_key=${VALUE}&x=1#code=${VALUE}`;
    const command = ["npx", "mcp-remote", url, "--url", url, `--url=${url}`];
    const tap = recorder((text) => (recorded += text), { agent: { name: "a", command } });
    const servers = [{ type: "http", name: "a", url, headers: [{ name: "A", value: url }] }];
    const params = { cwd: "/x", mcpServers: servers, _meta: { deep: [{ text: `see ${url}.` }] } };
    tap({
      at: 0,
      direction: "out",
      line: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new", params }),
    });
    tap({
      at: 1,
      direction: "in",
      line: `not JSON: ${JSON.stringify({ inner: JSON.stringify(params) })}`,
    });
    tap({ at: 1, direction: "in", line: JSON.stringify({ [url]: JSON.stringify(params) }) });
    tap.stderr(`connecting to ${url}\n`);
    tap.note(`lost ${url}`);
    tap.permission({ what: `fetch ${url}`, outcome: "allowed", by: "user" });
    tap.flush();
    expect(recorded.match(/h\.example/g)?.length).toBeGreaterThan(8);
    expect(recorded).not.toContain(VALUE);
  });
});

describe("everything else with a question mark, an ampersand or a number sign", () => {
  it.each([
    "https://h.example/search?q=token&page=2&sort_by=key&lang=en",
    "https://h.example/?token_type=bearer&tokens=12&max_tokens=100&keyword=a&monkey=b&hotkey=c",
    "https://h.example/?countryCode=de&statuscode=404&session=abc&sessionId=0f1e2d3c&state=on",
    "https://h.example/?key&token=&secret#password=",
    "https://h.example/docs#api_key and https://h.example/#token, or #key",
    "https://h.example/?token=${token}&api_key=$API_KEY&key={key}&sig=%s&code=...&auth=<code>",
    "https://h.example/?token=[redacted]&key=***",
    "the form key=value, e.g. code=200; password=optional, token=word",
    "if (a?key=1:code=2) { x&&token==y; map&key==other; list[i]&&password=1 }",
    "const url = `${base}?token=${encodeURIComponent(token)}`;",
    'fetch("https://h.example/?api_key=" + apiKey)',
    "/[?&](?:key|token)=([^&]*)/.exec(search)",
    "new RegExp('[?&]token=([^&#]*)')",
    "foo(&key, &token); int *p=&key; x = flags&code; t;token=next()",
    "for(var key=0;key<9;key++);code=3;sig=4",
    "color:#key; # token: a comment, C# code=x",
    "git log --format=%H%n%s?key",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709 0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "SG.mail.send and hvs.is.a.prefix, dckr_pat_ lin_api_ whsec_ xoxd- AQ.Ab 1//0 4/0A pypi-AgE",
    "AccountKey=short SharedAccessKey=${key} key=0123 //registry.example/:_authToken=${NPM_TOKEN}",
    "https://hooks.slack.com/services and slack.com/x",
    "const isKey = keys[code] ?? (token as Key); type Sig = { key?: string; code?: number };",
    "ssh://git@h.example/x.git and https://user@h.example/?key",
  ])("stays: %s", (text) => {
    expect(hideTokens(text)).toBe(text);
    const line = JSON.stringify({
      jsonrpc: "2.0",
      params: { text, inner: JSON.stringify({ text }) },
    });
    expect(redactLine(line)).toBe(line);
  });

  it("stays in random texts of words, hashes, ids, base64 and code", () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc.string({
        unit: fc.constantFrom(...Array.from("0123456789abcdef")),
        minLength: length,
        maxLength: length,
      });
    const base64 = fc
      .uint8Array({ minLength: 1, maxLength: 300 })
      .map((bytes) => Buffer.from(bytes).toString("base64"));
    const word = fc.constantFrom(
      "key",
      "token",
      "code",
      "the",
      "sig",
      "value",
      "auth",
      "password",
      "file",
    );
    const piece = fc.oneof(
      hex(40),
      hex(64),
      fc.uuid(),
      base64,
      base64.map((text) => `data:image/png;base64,${text}`),
      word,
      fc.tuple(word, word).map(([name, value]) => `${name}=${value}`),
      fc
        .tuple(word, fc.nat())
        .map(([name, value]) => `https://h.example/${name}/${value}?page=${value}#${name}`),
      fc
        .tuple(word, word)
        .map(([name, value]) => `if (${name} && ${value}==1) ${name} = &${value};`),
    );
    const separator = fc.constantFrom(" ", "\n", ", ", "; ", '"', "\t", " | ");
    const text = fc.array(fc.tuple(piece, separator), { maxLength: 12 });
    fc.assert(
      fc.property(text, (parts) => {
        const from = parts.flat().join("");
        expect(hideTokens(from)).toBe(from);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a random address", () => {
  const part = fc.string({
    unit: fc.constantFrom(...Array.from("abcXYZ019-_.~")),
    minLength: 1,
    maxLength: 8,
  });
  const parameter = fc.tuple(part, part).map(([name, value]) => `${name}=${value}`);
  const secret = fc.constantFrom(...NAMES).map((name) => `${name}=${VALUE}`);
  const query = fc
    .array(fc.oneof(parameter, secret), { minLength: 1, maxLength: 6 })
    .map((all) => all.join("&"));
  const address = fc
    .tuple(fc.constantFrom("https://", "wss://u:p@", "http://[::1]:80"), part, query, query)
    .map(([start, path, search, hash]) => `${start}h.example/${path}?${search}#${hash}`);

  it("keeps no secret, in whatever JSON, text or further address it is", () => {
    fc.assert(
      fc.property(address, fc.string(), fc.nat(3), (url, around, levels) => {
        let text = `${around} ${url} ${around}`;
        for (let level = 0; level < levels; level++) text = JSON.stringify({ text });
        expect(hideTokens(text)).not.toContain(VALUE);
        expect(redactText(text)).not.toContain(VALUE);
        expect(redactLine(JSON.stringify({ url: text }))).not.toContain(VALUE);
        expect(hideTokens(`https://a.example/?next=${encodeURIComponent(url)}`)).not.toContain(
          VALUE,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it("stays an address with the same names and ends", () => {
    fc.assert(
      fc.property(address, (url) => {
        const names = (text: string): string[] =>
          text.split(/[?&#]/).map((each) => each.split("=", 1).join());
        const clean = hideTokens(url);
        expect(names(clean)).toEqual(names(url.replace("u:p@", `u:${REDACTED}@`)));
        expect(hideTokens(clean)).toBe(clean);
      }),
      { numRuns: 1000 },
    );
  });
});

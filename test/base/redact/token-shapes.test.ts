import { describe, expect, it } from "vitest";
import { createRedactor, redactLine, redactText } from "../../../src/base/redact/redact.ts";
import { hideTokens, REDACTED } from "../../../src/base/redact/secrets.ts";
import { AWS_ID, KEY, R, TEXTS, TOKENS } from "./tokens.ts";

describe("tokens", () => {
  it.each(TOKENS)("such as %s are hidden in any text", (token) => {
    expect(hideTokens(`before ${token} after`)).toBe(`before ${REDACTED} after`);
    expect(redactText(`"${token}"`)).toBe(`"${REDACTED}"`);
    const line = (text: string): string =>
      JSON.stringify({ jsonrpc: "2.0", params: { update: { text }, [text]: [1] } });
    expect(redactLine(line(token))).toBe(line(REDACTED));
    const nested = JSON.stringify({ inner: JSON.stringify({ token: 1, text: token }) });
    expect(redactLine(nested)).not.toContain(token.slice(-12));
  });

  it.each(TEXTS)("are hidden in %j", (text, hidden) => {
    expect(hideTokens(text)).toBe(hidden);
    expect(redactLine(JSON.stringify({ jsonrpc: "2.0", text }))).toBe(
      JSON.stringify({ jsonrpc: "2.0", text: hidden }),
    );
  });

  it.each([
    "sk-learn, task-management-of-a-long-name, risk-proj-assessment",
    "sk-folding-cube-animation-wrapper sk-fading-circle12",
    "npm_config_registry npm_package_dependencies_typescript",
    "https://example.org:8080/@scope/name@1.0.0",
    "git@github.com:owner/name.git ssh://git@host/x",
    "http://localhost:3000/a:b@c",
    "user@example.org: see https://example.org",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "a bearer authentication scheme; the bearer responsibilities",
    "an eyJustLikeThis.word and eyJ.a.b",
    "look for -----BEGIN PRIVATE KEY----- in the files",
    "AKIAshort ASIAN MARKETS AIzawa",
    "the secret access key is missing",
    "xox-games glpat gl-pat-terns ghp_ github_pat_",
    "/usr/lib/node_modules/npm/node_modules/tar1A",
  ])("are not seen in %j", (text) => {
    expect(hideTokens(text)).toBe(text);
    const line = JSON.stringify({ jsonrpc: "2.0", text });
    expect(redactLine(line)).toBe(line);
  });

  it.each([
    ["letters", "a"],
    ["dots and JSON Web Tokens", "eyJ-"],
    ["addresses", "://u:"],
    ["backslashes", "\\"],
    ["bearers", "bearer "],
    ["private keys", `-----BEGIN ${KEY}-----\n`],
    ["slashes", `${AWS_ID} /`],
    ["parameters", "&key=a"],
    ["parameters of one value", "?token=a"],
    ["lists of parameters", ";token="],
    ["patterns", "?token=["],
    ["words that may be values", "?key=aaaaaaaaaaaaaaaaaaaaaaaa"],
    ["encoded parameters", "%3Ftoken%3D"],
    ["escaped parameters", String.raw`\u0026token\u003d`],
    ["ends of sentences", "?token=.)"],
    ["keys of Azure", `${R}+AStAPIM`],
  ])("are searched in linear time among many %s", (_, piece) => {
    const text = `${piece.repeat(Math.ceil(2_000_000 / piece.length))}@`;
    const started = performance.now();
    hideTokens(text);
    hideTokens(`https://${text}`);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe("a redactor with known values", () => {
  const { line, text, value } = createRedactor(['pa"ss\\w/rd']);

  it("hides them in texts, values, keys and lines", () => {
    expect(text('got pa"ss\\w/rd')).toBe(`got ${REDACTED}`);
    expect(value({ a: ['pa"ss\\w/rd'], 'pa"ss\\w/rd': 1 })).toEqual({
      a: [REDACTED],
      [REDACTED]: 1,
    });
    expect(line(String.raw`{"a":"pa\"ss\\w\/rd","b":"\u0070a\u0022ss\\w/rd"}`)).toBe(
      `{"a":"${REDACTED}","b":"${REDACTED}"}`,
    );
    expect(line(String.raw`noise "pa\"ss\\w/rd"`)).toBe(`noise "${REDACTED}"`);
  });

  it("leaves lines that are still valid messages", () => {
    const redactor = createRedactor(["12345678", '","b":"']);
    const from = '{"id":12345678,"a":"12345678","b":"x"}';
    expect(JSON.parse(redactor.line(from))).toEqual({ id: 12_345_678, a: REDACTED, b: "x" });
  });
});

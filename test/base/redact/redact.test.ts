import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { words } from "../../support/words.ts";
import { redactLine, redactText, redactValue } from "../../../src/base/redact/redact.ts";
import { REDACTED } from "../../../src/base/redact/secrets.ts";

describe("redacting a message", () => {
  it.each([
    {
      what: "env as a list",
      from: {
        env: [
          { name: "A", value: "s" },
          { name: "B", value: "" },
        ],
      },
      to: {
        env: [
          { name: "A", value: REDACTED },
          { name: "B", value: REDACTED },
        ],
      },
    },
    {
      what: "env as a map",
      from: { env: { A: "s", B: 12 } },
      to: { env: { A: REDACTED, B: REDACTED } },
    },
    {
      what: "env as a list of assignments",
      from: { env: ["A=s", "B=t=u", "C"] },
      to: { env: [`A=${REDACTED}`, `B=${REDACTED}`, REDACTED] },
    },
    {
      what: "arguments that name a secret",
      from: { args: ["-y", "server", "--api-key", "s", "--token=s", "TOKEN=s", "--port", "80"] },
      to: {
        args: [
          "-y",
          "server",
          "--api-key",
          REDACTED,
          `--token=${REDACTED}`,
          `TOKEN=${REDACTED}`,
          "--port",
          "80",
        ],
      },
    },
    {
      what: "a header among the arguments",
      from: { args: ["mcp-remote", "--header", "Authorization: Bearer s"] },
      to: { args: ["mcp-remote", "--header", `Authorization: Bearer ${REDACTED}`] },
    },
    {
      what: "headers as a list",
      from: { headers: [{ name: "X-Any", value: "s" }] },
      to: { headers: [{ name: "X-Any", value: REDACTED }] },
    },
    {
      what: "headers as a map",
      from: { headers: { "X-Any": "s", Many: ["s", "t"] } },
      to: { headers: { "X-Any": REDACTED, Many: [REDACTED, REDACTED] } },
    },
    {
      what: "headers as pairs",
      from: { headers: [["X-Any", "s"]] },
      to: { headers: [["X-Any", REDACTED]] },
    },
    {
      what: "env and headers with a longer name",
      from: { httpHeaders: { a: "s" }, extra_headers: { a: "s" }, processEnv: { a: "s" } },
      to: {
        httpHeaders: { a: REDACTED },
        extra_headers: { a: REDACTED },
        processEnv: { a: REDACTED },
      },
    },
    {
      what: "a nested or unusually named value of an entry",
      from: {
        env: [
          { name: "A", value: { text: "s" } },
          { name: "B", secret_value: "s" },
        ],
      },
      to: {
        env: [
          { name: "A", value: { text: REDACTED } },
          { name: "B", secret_value: REDACTED },
        ],
      },
    },
    ...words(`
      token accessToken access_token ACCESS_TOKEN apiKey api_key api-key x-api-key APIKey
      factoryApiKey FACTORY_API_KEY authorization Authorization proxy-authorization password
      dbPassword passphrase clientSecret client_secret secretKey secret_key secretAccessKey
      privateKey private_key credential credentials cookie set-cookie refreshToken`).map((key) => ({
      what: key,
      from: { a: { [key]: "s" } },
      to: { a: { [key]: REDACTED } },
    })),
    {
      what: "text nested below a secret's name",
      from: { credentials: { user: "u", nested: ["s"], count: 1 }, token: ["s"] },
      to: { credentials: { user: REDACTED, nested: [REDACTED], count: 1 }, token: [REDACTED] },
    },
  ])("hides $what", ({ from, to }) => {
    expect(redactValue(from)).toEqual(to);
    expect(redactValue({ params: [from] })).toEqual({ params: [to] });
    expect(JSON.parse(redactLine(JSON.stringify(from)))).toEqual(to);
  });

  it.each([
    { inputTokens: 12, outputTokens: 3, maxTokens: "all", token_count: 7, tokens: 9 },
    { token: 12, apiKey: null, password: "", secret: true },
    { text: "the word token or password: in text is text", tokenizer: "x", keys: ["a"] },
    { environment: "production", header: "a title", envelope: { a: "b" } },
    { method: "authenticate", params: { methodId: "api-key" } },
    { authMethods: [{ id: "token", name: "Token" }], env: null, headers: "none" },
  ])("leaves values that are not secrets alone: %j", (value) => {
    expect(redactValue(value)).toBe(value);
    const line = JSON.stringify(value, undefined, 1).replaceAll("\n", "");
    expect(redactLine(line)).toBe(line);
  });

  it("changes nothing but the secrets", () => {
    const from = {
      jsonrpc: "2.0",
      id: 7,
      method: "terminal/create",
      params: {
        command: "npm",
        args: ["test"],
        env: [{ name: "CI", value: "1" }],
        _meta: { a: [1, null, { token: "x" }], text: "😀" },
      },
    };
    expect(JSON.parse(redactLine(JSON.stringify(from)))).toEqual({
      ...from,
      params: {
        ...from.params,
        env: [{ name: "CI", value: REDACTED }],
        _meta: { a: [1, null, { token: REDACTED }], text: "😀" },
      },
    });
  });

  it("does not change the value it is given", () => {
    const value = { env: [{ name: "A", value: "s" }], token: "t", deep: { headers: { a: "b" } } };
    const before = structuredClone(value);
    redactValue(value);
    expect(value).toEqual(before);
  });

  it("redacts batches, and frames that follow stray text", () => {
    expect(redactLine('[{"jsonrpc":"2.0","token":"s"}]')).toBe(
      `[{"jsonrpc":"2.0","token":"${REDACTED}"}]`,
    );
    expect(redactLine('token=s {"jsonrpc":"2.0","token":"s"}')).toBe(
      `token=${REDACTED} {"jsonrpc":"2.0","token":"${REDACTED}"}`,
    );
  });

  it("redacts values under the key __proto__", () => {
    const clean = redactLine('{"__proto__":{"token":"hidden"},"env":{"__proto__":"hidden"}}');
    expect(clean).toBe(`{"__proto__":{"token":"${REDACTED}"},"env":{"__proto__":"${REDACTED}"}}`);
  });

  it("hides the whole message if it is nested too deeply to search", () => {
    const deep = '{"a":'.repeat(100_000) + '{"token":"hidden"}' + "}".repeat(100_000);
    const clean = redactLine(deep);
    expect(clean).not.toContain("hidden");
    expect(clean).toContain(REDACTED);
  });
});

describe("redacting text", () => {
  it.each([
    ["OPENAI_API_KEY=sk-1", `OPENAI_API_KEY=${REDACTED}`],
    ["api key: x", "api key: x"],
    ["token: abc, next", `token: ${REDACTED}, next`],
    ['"apiKey": "abc"', `"apiKey": "${REDACTED}"`],
    ["Authorization: Bearer abc.def", `Authorization: Bearer ${REDACTED}`],
    ["sent Bearer abcdefghij to", `sent Bearer ${REDACTED} to`],
    ['password="with some spaces" rest', `password="${REDACTED}" rest`],
    ["password='with some spaces' rest", `password='${REDACTED}' rest`],
    ['{"password":"with \\" quote"}', `{"password":"${REDACTED}"}`],
    ["secretKey=abc", `secretKey=${REDACTED}`],
    ["Cookie: a=b; c=d", `Cookie: ${REDACTED}`],
    ["nothing here", "nothing here"],
    ["12 tokens used", "12 tokens used"],
  ])("%s", (from, to) => {
    expect(redactText(from)).toBe(to);
  });

  it("hides the rest of a truncated message from env or headers on", () => {
    const line = '{"jsonrpc":"2.0","params":{"env":[{"name":"A","value":"hidden"}],"cw';
    expect(redactLine(line)).toBe(`{"jsonrpc":"2.0","params":{"env":${REDACTED}`);
    expect(redactLine('{"headers": {"x":"hidden"')).toBe(`{"headers": ${REDACTED}`);
  });
});

describe("redacting a random message", () => {
  const SECRET = "hIdDeN5";
  const name = fc.constantFrom(...words("token apiKey API_KEY clientSecret x-api-key password"));
  const leaf = fc.oneof(
    name.map((key) => ({ [key]: SECRET })),
    fc.constant({ env: [{ name: "A", value: SECRET }] }),
    fc.constant({ env: { A: SECRET } }),
    fc.constant({ env: [`A=${SECRET}`] }),
    fc.constant({ headers: [{ name: "A", value: SECRET }] }),
    fc.constant({ headers: { A: SECRET } }),
    fc.constant({ headers: [["A", SECRET]] }),
  );
  const { message } = fc.letrec<{ message: unknown }>((tie) => ({
    message: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.jsonValue(),
      fc.array(tie("message"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("message"), { maxKeys: 4 }),
    ),
  }));

  it("never leaves a secret in a line, whether complete or truncated", () => {
    fc.assert(
      fc.property(message, fc.string(), fc.nat(), (params, prefix, cut) => {
        const line = JSON.stringify({ jsonrpc: "2.0", params });
        expect(redactLine(line)).not.toContain(SECRET);
        expect(redactLine(prefix.replace(/\n/g, "") + line)).not.toContain(SECRET);
        expect(redactLine(line.slice(0, cut % line.length))).not.toContain(SECRET);
      }),
      { numRuns: 500 },
    );
  });

  it("returns a message without secrets unchanged", () => {
    const plain = fc.jsonValue();
    fc.assert(
      fc.property(plain, (value) => {
        const line = JSON.stringify({ jsonrpc: "2.0", params: value });
        if (/env|headers|token|key|secret|pass|cookie|auth|credential/i.test(line)) return;
        expect(redactLine(line)).toBe(line);
      }),
    );
  });
});

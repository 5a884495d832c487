import { describe, expect, it } from "vitest";
import {
  findGrant,
  parseTokens,
  TokensFileError,
} from "../../../../src/transport/remote/server/tokens.ts";
import { hashToken } from "../../../../src/transport/wire/index.ts";

const file = (...tokens: readonly object[]): string => JSON.stringify({ version: 1, tokens });
const laptop = { name: "laptop", sha256: hashToken("secret") };

describe("a tokens file", () => {
  it("describes tokens by their hash", () => {
    const full = {
      name: "ci",
      sha256: hashToken("other").toUpperCase(),
      agents: ["claude"],
      roots: ["repo"],
      role: "observer",
      expires: "2030-01-31T00:00:00Z",
    };
    expect(parseTokens(file(laptop, full))).toEqual([
      { ...laptop, agents: undefined, roots: undefined, role: "controller", expires: undefined },
      { ...full, sha256: hashToken("other"), expires: Date.UTC(2030, 0, 31) },
    ]);
  });

  it.each([
    ["", "{", "is not valid JSON"],
    ["", "[]", "must be an object"],
    ["version", '{"version":2,"tokens":[]}', "must be 1"],
    ["tokens", '{"version":1}', "must be an array"],
    ["token", '{"version":1,"tokens":[],"token":1}', "is not a known field"],
    ["tokens[0]", '{"version":1,"tokens":["secret"]}', "must be an object"],
    ["tokens[0].name", file({ ...laptop, name: " " }), "must be a name"],
    ["tokens[0].sha256", file({ ...laptop, sha256: "secret" }), "64 hexadecimal digits"],
    ["tokens[0].role", file({ ...laptop, role: "admin" }), "controller"],
    ["tokens[0].roots", file({ ...laptop, roots: "repo" }), "array of names"],
    ["tokens[0].expires", file({ ...laptop, expires: "soon" }), "must be a date"],
    ["tokens[0].expires", file({ ...laptop, expires: null }), "must be a date"],
    ["tokens[0].agent", file({ ...laptop, agent: "x" }), "is not a known field"],
    ["tokens[1].name", file(laptop, { ...laptop, sha256: hashToken("x") }), "is used twice"],
    ["tokens[1].sha256", file(laptop, { ...laptop, name: "x" }), "is used twice"],
  ])("is refused because of %j in %s", (field, text, problem) => {
    let error: unknown;
    try {
      parseTokens(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(TokensFileError);
    expect(error).toMatchObject({ field, message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain("secret");
  });
});

describe("a token", () => {
  const grants = parseTokens(file(laptop, { name: "ci", sha256: hashToken("other") }));

  it("finds its grant", () => {
    expect(findGrant("secret", grants, 0)?.name).toBe("laptop");
    expect(findGrant("other", grants, 0)?.name).toBe("ci");
  });

  it.each(["", "secre", "secret ", hashToken("secret"), undefined])("%j finds none", (token) => {
    expect(findGrant(token, grants, 0)).toBeUndefined();
  });

  it("expires", () => {
    const dated = parseTokens(file({ ...laptop, expires: "1970-01-01T00:00:01Z" }));
    expect(findGrant("secret", dated, 999)?.name).toBe("laptop");
    expect(findGrant("secret", dated, 1000)).toBeUndefined();
  });
});

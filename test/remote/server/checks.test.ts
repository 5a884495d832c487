import { describe, expect, it } from "vitest";
import { isAllowedHost, isAllowedOrigin, tokenOf } from "../../../src/remote/server/checks.ts";
import { bearerProtocols } from "../../../src/remote/websocket/subprotocols.ts";

describe("a host", () => {
  it.each([
    ["127.0.0.1:80", ["127.0.0.1:80"], true],
    ["LocalHost:80", ["localhost:80"], true],
    ["[::1]:80", ["[::1]:80"], true],
    ["[::1]", ["[::1]"], true],
    ["agents.example:8443", ["agents.example"], true],
    ["agents.example", ["agents.example"], true],
    ["agents.example:81", ["agents.example:80"], false],
    ["agents.example.evil.example", ["agents.example"], false],
    ["evil.example", ["agents.example"], false],
    ["agents.example@evil.example", ["agents.example"], false],
    ["", ["agents.example"], false],
    [undefined, ["agents.example"], false],
    ["agents.example", [], false],
  ])("%s is in %j: %s", (host, allowed, expected) => {
    expect(isAllowedHost(host, allowed)).toBe(expected);
  });
});

describe("an origin", () => {
  it.each([
    [undefined, [], true],
    ["https://a.example", ["https://a.example"], true],
    ["http://a.example", ["https://a.example"], false],
    ["https://a.example:444", ["https://a.example"], false],
    ["null", ["null"], false],
    ["*", [], false],
  ])("%s is in %j: %s", (origin, allowed, expected) => {
    expect(isAllowedOrigin(origin, allowed)).toBe(expected);
  });
});

describe("a token", () => {
  const protocols = (token: string) => ({
    "sec-websocket-protocol": bearerProtocols(token).join(", "),
  });
  it.each([
    ["a header", { authorization: "Bearer abc" }, "abc"],
    ["a header in other letters", { authorization: "bearer  abc " }, "abc"],
    ["a subprotocol", protocols("a+b/c=ä"), "a+b/c=ä"],
    ["the header first", { authorization: "Bearer abc", ...protocols("def") }, "abc"],
    ["nothing", {}, undefined],
    ["another scheme", { authorization: "Basic abc" }, undefined],
    ["an empty header", { authorization: "Bearer " }, undefined],
    ["a header with two tokens", { authorization: "Bearer abc def" }, undefined],
    [
      "a subprotocol that is not base64",
      { "sec-websocket-protocol": "dragoman.bearer.!" },
      undefined,
    ],
  ])("comes from %s", (_name, headers, token) => {
    expect(tokenOf(headers)).toBe(token);
  });
});

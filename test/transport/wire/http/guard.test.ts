import { describe, expect, it } from "vitest";
import {
  guardRequest,
  isAllowedHost,
  isAllowedOrigin,
  isLoopback,
  LOOPBACK_NAMES,
  namesWithPort,
  placeRefusal,
  type RequestHeaders,
  ServerToken,
} from "../../../../src/transport/wire/index.ts";
import { spellingsOf } from "../../../support/raw-request.ts";

const token = new ServerToken();
const rules = {
  hosts: namesWithPort(LOOPBACK_NAMES, 4711, false),
  origins: "own",
  token,
  publicPaths: ["/"],
} as const;

function status(headers: RequestHeaders, url = "/api/sessions"): number | undefined {
  const guarded = guardRequest({ url, headers }, rules);
  return guarded.ok ? undefined : guarded.refusal.status;
}

const authorization = `Bearer ${token.value}`;
const page = { host: "127.0.0.1:4711", authorization };

describe("a request is served", () => {
  it.each([
    ["from the page", { ...page, "sec-fetch-site": "same-origin" }],
    ["with the origin of the page", { ...page, origin: "http://127.0.0.1:4711" }],
    ["from a program, which sends neither", page],
    ["by the name localhost", { ...page, host: "localhost:4711", origin: "http://localhost:4711" }],
    ["by the address of IPv6", { ...page, host: "[::1]:4711" }],
    ["with an address that a person opened", { ...page, "sec-fetch-site": "none" }],
  ])("%s", (_, headers) => {
    expect(status(headers)).toBeUndefined();
  });

  it("without a token if its path is public", () => {
    expect(status({ host: page.host }, "/")).toBeUndefined();
    expect(status({ host: page.host }, "/?a=b")).toBeUndefined();
  });
});

describe("a request is refused", () => {
  it.each([
    ["for another host, as after DNS rebinding", { ...page, host: "evil.example:4711" }, 403],
    ["for another port", { ...page, host: "127.0.0.1:80" }, 403],
    ["for a host without a port", { ...page, host: "127.0.0.1" }, 403],
    ["for a host that begins like ours", { ...page, host: "127.0.0.1:4711.evil.example" }, 403],
    ["without a host", { authorization }, 403],
    ["from another origin", { ...page, origin: "https://evil.example" }, 403],
    ["from another port of this machine", { ...page, origin: "http://127.0.0.1:80" }, 403],
    ["from a page without an origin", { ...page, origin: "null" }, 403],
    ["with two origins", { ...page, origin: ["http://127.0.0.1:4711", "http://x.example"] }, 403],
    ["from another site", { ...page, "sec-fetch-site": "cross-site" }, 403],
    ["from another port, as the browser sees it", { ...page, "sec-fetch-site": "same-site" }, 403],
    ["with two sites", { ...page, "sec-fetch-site": ["none", "cross-site"] }, 403],
    [
      "from our name on another site",
      { ...page, origin: "http://localhost:4711", "sec-fetch-site": "cross-site" },
      403,
    ],
    ["without a token", { host: page.host }, 401],
    ["with a wrong token", { ...page, authorization: "Bearer wrong" }, 401],
    ["with the token in another scheme", { ...page, authorization: `Basic ${token.value}` }, 401],
  ])("%s", (_, headers, expected) => {
    expect(status(headers)).toBe(expected);
  });

  it("with the token in the address, even if it is in the header too", () => {
    const url = `/api/sessions?token=${token.value}`;
    expect(status({ host: page.host }, url)).toBe(401);
    expect(status(page, url)).toBe(400);
    expect(status({ host: page.host }, `/?token=${token.value}`)).toBe(400);
  });

  it.each([
    "/other",
    "/index.html",
    "/.",
    "//",
    "/%2e",
    "",
    "*",
    "/open",
    "http://127.0.0.1:4711/",
  ])("without a token if its path, here %j, is not public", (url) => {
    expect(status({ host: page.host }, url)).toBe(401);
  });

  it("by its host first", () => {
    expect(status({ host: "evil.example" }, "/")).toBe(403);
  });
});

describe("the target of a request", () => {
  const pathOf = (url: string): string | undefined => {
    const guarded = guardRequest({ url, headers: page }, rules);
    return guarded.ok ? guarded.target.path : undefined;
  };

  it.each(spellingsOf("/api/sessions"))("is never read as another path: %s", (url) => {
    expect(pathOf(url)).toBe(url.split(/[?#]/, 1)[0]);
    expect(pathOf(url)).not.toBe("/api/sessions");
  });

  it("has its query apart", () => {
    const guarded = guardRequest({ url: "/a?b=%20c&b=d#e", headers: page }, rules);
    expect(guarded).toMatchObject({ ok: true, target: { path: "/a" } });
    expect(guarded.ok && [...guarded.target.query]).toEqual([
      ["b", " c"],
      ["b", "d"],
    ]);
  });
});

describe("the pages of a list", () => {
  const place = { hosts: ["agents.example"], origins: ["https://editor.example"] };
  it.each([
    ["a listed page", { origin: "https://editor.example", "sec-fetch-site": "cross-site" }, true],
    ["a program", {}, true],
    ["an address that a person opened", { "sec-fetch-site": "none" }, true],
    ["a page of another site that hides its origin", { "sec-fetch-site": "cross-site" }, false],
    ["a page of another host name", { "sec-fetch-site": "same-site" }, false],
    ["a page of this server", { origin: "http://agents.example" }, false],
  ])("%s: %s", (_, headers, isAllowed) => {
    const refusal = placeRefusal({ host: "agents.example", ...headers }, place);
    expect(refusal?.status).toBe(isAllowed ? undefined : 403);
  });

  it("are checked for the host of HTTP/2", () => {
    expect(placeRefusal({ ":authority": "agents.example" }, place)).toBeUndefined();
    expect(placeRefusal({ ":authority": "evil.example" }, place)?.status).toBe(403);
    const both = { ":authority": "evil.example", host: "agents.example" };
    expect(placeRefusal(both, place)?.status).toBe(403);
  });
});

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

describe("an address of this machine alone", () => {
  it.each(["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])("is %s", (address) => {
    expect(isLoopback(address)).toBe(true);
  });
  it.each(["0.0.0.0", "::", "192.0.2.1", "128.0.0.1", "fd00::1", "127.evil.example", "localhost"])(
    "is not %s",
    (address) => {
      expect(isLoopback(address)).toBe(false);
    },
  );
});

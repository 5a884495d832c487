import { describe, expect, it } from "vitest";
import { inspectRefusal } from "../../../src/inspect/server/guard.ts";

const isToken = (given: string): boolean => given === "right";
const status = (
  headers: Record<string, string>,
  { url = "/api/sessions", method = "GET" } = {},
): number | undefined => inspectRefusal({ method, url, headers }, 4711, isToken)?.status;
const page = { host: "127.0.0.1:4711", authorization: "Bearer right" };

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

  it("without a token if it is for the page itself, which holds no data", () => {
    expect(status({ host: "127.0.0.1:4711" }, { url: "/" })).toBeUndefined();
  });
});

describe("a request is refused", () => {
  it.each([
    ["for another host, as after DNS rebinding", { ...page, host: "evil.example:4711" }, 403],
    ["for another port", { ...page, host: "127.0.0.1:80" }, 403],
    ["for a host without a port", { ...page, host: "127.0.0.1" }, 403],
    ["for a host that begins like ours", { ...page, host: "127.0.0.1:4711.evil.example" }, 403],
    ["without a host", { authorization: "Bearer right" }, 403],
    ["from another origin", { ...page, origin: "https://evil.example" }, 403],
    ["from another port of this machine", { ...page, origin: "http://127.0.0.1:80" }, 403],
    ["from a page without an origin", { ...page, origin: "null" }, 403],
    ["from another site", { ...page, "sec-fetch-site": "cross-site" }, 403],
    ["from another port, as the browser sees it", { ...page, "sec-fetch-site": "same-site" }, 403],
    ["without a token", { host: page.host }, 401],
    ["with a wrong token", { ...page, authorization: "Bearer wrong" }, 401],
    ["with the token in another scheme", { ...page, authorization: "Basic right" }, 401],
  ])("%s", (_, headers, expected) => {
    expect(status(headers)).toBe(expected);
  });

  it("with the token in the address", () => {
    expect(status({ host: page.host }, { url: "/api/sessions?token=right" })).toBe(401);
  });

  it.each(["POST", "PUT", "DELETE", "OPTIONS", "HEAD"])("with the method %s", (method) => {
    expect(status(page, { method })).toBe(405);
  });

  it("by its host before anything else is looked at", () => {
    expect(status({ host: "evil.example" }, { method: "POST", url: "/" })).toBe(403);
  });
});

import { describe, expect, it } from "vitest";
import {
  FIRST_LINK,
  formatLink,
  type PageLink,
  parseLink,
  splitToken,
} from "../../../../src/apps/inspector/page/link.ts";

describe("links", () => {
  const links: readonly PageLink[] = [
    FIRST_LINK,
    {
      view: "frames",
      session: "2",
      other: "1",
      row: 1233,
      detail: "pair",
      query: 'method:"a b" -x & y=1#2',
      range: [1000, 2500],
    },
  ];
  it.each(links)("come back as they were: %j", (link) => {
    expect(parseLink(formatLink(link))).toEqual(link);
  });

  it("count frames from 1", () => {
    expect(formatLink({ ...FIRST_LINK, row: 0 })).toBe("#v=conversation&f=1");
  });

  it.each(["", "#", "#v=nothing&f=-3&t=5-2&d=x", "#f=NaN&t=1", "#%E0%A4%A", "#f=1e400"])(
    "with parts that mean nothing lead to the first view: %s",
    (fragment) => {
      expect(parseLink(fragment)).toEqual(FIRST_LINK);
    },
  );
});

describe("the token", () => {
  it("is taken out of the fragment, and the rest of the link stays", () => {
    expect(splitToken("#token=abc&v=frames")).toEqual({ token: "abc", rest: "#v=frames" });
    expect(splitToken("#token=abc")).toEqual({ token: "abc", rest: "" });
    expect(splitToken("#v=tools")).toEqual({ token: undefined, rest: "#v=tools" });
  });
});

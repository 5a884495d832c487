import { expect, it } from "vitest";
import { CookieJar } from "../../../../src/transport/remote/http/channel.ts";

function jarWith(...cookies: readonly string[]): CookieJar {
  const jar = new CookieJar();
  for (const cookie of cookies) jar.store(new Headers([["set-cookie", cookie]]));
  return jar;
}

it.each([
  [[], undefined],
  [["a=1; Path=/; HttpOnly"], "a=1"],
  [["a=1", "b=x=y"], "a=1; b=x=y"],
  [["a=1", "a=2"], "a=2"],
  [["a=1", "a=; Max-Age=0"], undefined],
  [["a=1", "a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], undefined],
  [["a=1; Expires=Thu, 01 Jan 2999 00:00:00 GMT; Max-Age=60"], "a=1"],
  [["=1", "nonsense"], undefined],
  [[`a=${"x".repeat(5000)}`], undefined],
])("returns the cookies %j as %j", (cookies, header) => {
  expect(jarWith(...cookies).header()).toBe(header);
});

it("keeps a limited number", () => {
  const jar = jarWith(...Array.from({ length: 100 }, (_, n) => `c${n}=x`));
  expect(jar.header()?.split("; ")).toHaveLength(32);
});

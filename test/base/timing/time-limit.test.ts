import { expect, it } from "vitest";
import { TimeLimitError, withTimeLimit } from "../../../src/base/index.ts";
import { withTimeLimit as inBrowsers } from "../../../src/base/timing/time-limit.browser.ts";

it("stops endless work, and names it", () => {
  const forever = (): void => {
    for (;;);
  };
  expect(() => withTimeLimit("the work", 20, forever)).toThrow(
    new TimeLimitError("the work took longer than 20 ms"),
  );
});

it("resolves and throws as the work does", () => {
  for (const limited of [withTimeLimit, inBrowsers]) {
    expect(limited("the work", 1000, () => undefined)).toBeUndefined();
    expect(limited("the work", 1000, () => 3)).toBe(3);
    const failing = (): never => {
      throw new TypeError("broken");
    };
    expect(() => limited("the work", 1000, failing)).toThrow(new TypeError("broken"));
  }
});

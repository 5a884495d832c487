import { expect, it } from "vitest";
import { EXIT, EXIT_MEANINGS } from "../../../../src/apps/cli/shell/exit.ts";

it("every exit code has a meaning", () => {
  expect(EXIT_MEANINGS.map(([code]) => code).toSorted((a, b) => a - b)).toEqual(
    Object.values(EXIT).toSorted((a, b) => a - b),
  );
});

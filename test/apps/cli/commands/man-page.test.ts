import { GRAMMAR } from "../../../../src/apps/cli/commands/grammar.ts";
import { expect, it } from "vitest";
import { manPage } from "../../../../src/apps/cli/commands/reference.ts";

it("man/dragoman.1 matches the table of options", async () => {
  await expect(manPage(GRAMMAR)).toMatchFileSnapshot("../../../../man/dragoman.1");
});

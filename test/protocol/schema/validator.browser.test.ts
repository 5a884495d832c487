import { expect, it } from "vitest";
import { compileSchema } from "../../../src/protocol/schema/validator.browser.ts";

it("lists faults with their places, without making code of the schema", async () => {
  const validate = await compileSchema({
    type: "object",
    properties: { n: { type: "number" } },
    required: ["n"],
  });
  expect(validate({ n: 1 })).toEqual([]);
  expect(validate({ n: "x" })).toEqual(["n: expected number, received string"]);
  expect(validate({})).toEqual(["n: is required"]);
});

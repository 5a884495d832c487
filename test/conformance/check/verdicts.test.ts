import { expect, it } from "vitest";
import { VerdictBook } from "../../../src/conformance/check/verdicts.ts";

it("keeps the violation if a case sees a requirement kept and broken", () => {
  const book = new VerdictBook();
  book.pass("ID", "once");
  book.fail("ID", "b");
  book.pass("ID", "again");
  expect(book.get("ID")).toMatchObject({ status: "failed", actual: "b" });
});

it("ignores passes and violations after the case has ended", () => {
  const book = new VerdictBook();
  book.pass("ID", "in time");
  book.close();
  book.pass("ID", "late");
  book.fail("ID", "the agent was killed");
  book.untested("OTHER", "the run ended early");
  expect(book.get("ID")).toMatchObject({ status: "passed", evidence: "in time" });
  expect(book.get("OTHER")).toMatchObject({ status: "untested" });
});

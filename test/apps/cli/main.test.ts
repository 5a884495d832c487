import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { AGENT } from "./support/bin.ts";
import { run } from "./support/run.ts";
describe("main", () => {
  it("prints the version as one line", async () => {
    expect(await run(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n" });
  });
});

it("the scripted agent of these tests exists", async () => {
  expect(await readFile(AGENT, "utf8")).toContain("#!/usr/bin/env node");
});

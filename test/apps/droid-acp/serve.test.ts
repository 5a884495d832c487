import { describe, expect, it } from "vitest";
import { likelyFolder } from "../../../src/apps/droid-acp/serve.ts";

describe("the likely folder", () => {
  it("is the working directory, unless that is the home folder or the root", () => {
    expect(likelyFolder("/home/u/project", "/home/u")).toBe("/home/u/project");
    expect(likelyFolder("/home/u", "/home/u")).toBeUndefined();
    expect(likelyFolder("/", "/home/u")).toBeUndefined();
  });
});

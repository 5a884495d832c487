import { describe, expect, it } from "vitest";
import { toDroidServers } from "../../../../src/apps/droid-acp/process/session-process.ts";

describe("MCP servers", () => {
  it("keep their environment variables and headers", () => {
    expect(
      toDroidServers([
        { name: "a", command: "/c", args: ["x"], env: [{ name: "K", value: "v" }] },
        { type: "http", name: "b", url: "http://h", headers: [{ name: "H", value: "v" }] },
        { type: "sse", name: "c", url: "http://s", headers: [] },
      ]),
    ).toEqual([
      { name: "a", command: "/c", args: ["x"], env: { K: "v" } },
      { type: "http", name: "b", url: "http://h", headers: { H: "v" } },
      { type: "sse", name: "c", url: "http://s", headers: {} },
    ]);
  });
});

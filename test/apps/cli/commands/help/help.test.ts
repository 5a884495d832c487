import { describe, expect, it } from "vitest";
import { GRAMMAR } from "../../../../../src/apps/cli/commands/grammar.ts";
import { run } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
describe("help", () => {
  it("lists every option and command, and fits a terminal", async () => {
    const { code, out, err } = await run(["--help"], folders);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const { name, on } of GRAMMAR.options)
      if (on.includes("prompt")) expect(out).toContain(`--${name}`);
    for (const { name } of GRAMMAR.commands) expect(out).toMatch(new RegExp(`^  ${name}`, "m"));
    expect(out).toContain("may contain MCP server secrets");
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(120);
  });
  it.each(GRAMMAR.commands.map(({ name }) => name))(
    "for %s is the same with help and with --help",
    async (name) => {
      const asked = await run(["help", name], folders);
      expect(asked.code).toBe(0);
      expect((await run([name, "--help"], folders)).out).toBe(
        name === "help" ? (await run(["-h"], folders)).out : asked.out,
      );
    },
  );
  it("fails for an unknown command", async () => {
    const { code, last } = await run(["help", "chta"], folders);
    expect(code).toBe(2);
    expect(last).toBe('unknown command "chta"; try: chat');
  });
});

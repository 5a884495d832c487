import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { main } from "../../../../../src/apps/cli/main.ts";
import { fakeIo } from "../../support/io.ts";
import { isAlive, run, withAgent } from "../../support/run.ts";
import { foldersForAll } from "../setup.ts";

const folders = foldersForAll();
const prompt = (...argv: string[]) => run([...withAgent(), ...argv], folders);
describe("the exit code of a prompt", () => {
  it("is 5 for a denied permission with --strict-permissions", async () => {
    const { code, last, out } = await prompt("--strict-permissions", "edit");
    expect({ code, out }).toEqual({ code: 5, out: "no" });
    expect(last).toMatch(/^denied: edit .*a\.txt; try: --write$/);
    expect((await prompt("--strict-permissions", "--write", "edit")).code).toBe(0);
  });
  it.each([
    [[], "max_tokens", 0],
    [["--fail-on", "refusal"], "max_tokens", 0],
    [["--fail-on", "refusal,max_tokens"], "max_tokens", 10],
    [["--fail-on", "any"], "a_new_reason", 10],
    [["--fail-on", "any"], "end_turn", 0],
  ])("with %j and the stop reason %s is %i", async (flags, reason, code) => {
    const ended = await prompt(...flags, `stop=${reason}`);
    expect(ended.code).toBe(code);
    if (code === 0 && reason !== "end_turn") expect(ended.last).toBe(`[stopped] ${reason}`);
    if (code === 10) expect(ended.last).toBe(`the turn stopped early: ${reason}`);
  });
  it("is 0 if the reader of stdout closes it, and nothing is printed", async () => {
    const file = join(folders.cwd, "pid-pipe");
    let read = 0;
    const stream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        read += chunk.length;
        done(read > 20 ? Object.assign(new Error("EPIPE"), { code: "EPIPE" }) : undefined);
      },
    });
    const fake = fakeIo(folders);
    const io = { ...fake, stdout: { ...fake.stdout, stream } };
    const code = await main([...withAgent(`pid-file=${file}`), "lines"], io);
    expect(code).toBe(0);
    expect(io.err.text).toBe("");
    expect(isAlive(Number(await readFile(file, "utf8")))).toBe(false);
  });
});

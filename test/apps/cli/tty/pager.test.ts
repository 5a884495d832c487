import { closeSync, openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Io } from "../../../../src/apps/cli/shell/io.ts";
import { showInPager } from "../../../../src/apps/cli/tty/pager.ts";
import { fakeIo } from "../support/io.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dragoman-pager-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** An environment whose terminal is a file. */
function withPager(variable: string | undefined, setting?: string) {
  const io: Io = {
    ...fakeIo({ env: { PAGER: variable } }),
    openTerminalStdio: () => {
      const fd = openSync(join(folder, "terminal"), "w");
      return { stdio: [fd, fd, fd], close: () => closeSync(fd) };
    },
  };
  return { io, preferences: { pager: setting } };
}

const never = new AbortController().signal;

describe("a pager", () => {
  it("gets the text and writes to the terminal", async () => {
    expect(await showInPager(withPager("cat"), "the diff\n", never)).toBe(true);
    expect(await readFile(join(folder, "terminal"), "utf8")).toBe("the diff\n");
  });
  it.each([undefined, "", " ", "false", "no-such-pager"])(
    "that is %j shows nothing, and the caller is told so",
    async (pager) => {
      expect(await showInPager(withPager(pager), "the diff\n", never)).toBe(false);
    },
  );
  it("that is left before it has read everything does no harm", async () => {
    expect(await showInPager(withPager("head -c 1"), "x".repeat(1 << 20), never)).toBe(true);
  });
  it("ends when the question is cancelled", async () => {
    const controller = new AbortController();
    const shown = showInPager(withPager("exec sleep 600"), "", controller.signal);
    controller.abort();
    expect(await shown).toBe(false);
  });
  it("of the settings overrides the variable, and may be none", async () => {
    expect(await showInPager(withPager("false", "cat"), "the diff\n", never)).toBe(true);
    expect(await showInPager(withPager("cat", ""), "the diff\n", never)).toBe(false);
  });
  it("needs a terminal", async () => {
    const without = { io: fakeIo({ env: { PAGER: "cat" } }), preferences: {} };
    expect(await showInPager(without, "x", never)).toBe(false);
  });
});

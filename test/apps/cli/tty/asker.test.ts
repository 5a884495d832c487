// oxlint-disable no-control-regex -- terminals are driven by control characters
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { scratch, start, withAgent, type Scratch } from "../support/run.ts";

let folders: Scratch;
beforeAll(async () => {
  folders = await scratch();
});
afterAll(() => folders.remove());
const where = () => ({ home: folders.home, cwd: folders.cwd });

describe("a question", () => {
  it("is asked on the alternate screen if machine-readable output goes to the same terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events", "edit"], {
      ...where(),
      terminal,
      stdoutTty: true,
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(terminal.output.text).toMatch(/^\u001b\[\?1049h\u001b\[H[^]*\u001b\[\?1049l$/);
  });
});

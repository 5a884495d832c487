// oxlint-disable no-control-regex -- terminals are driven by control characters
import { describe, expect, it } from "vitest";
import { FakeTerminal } from "../support/io.ts";
import { start, withAgent } from "../support/run.ts";
import { foldersForAll } from "../commands/setup.ts";

const folders = foldersForAll();

describe("a question", () => {
  it("is asked on the alternate screen if machine-readable output goes to the same terminal", async () => {
    const terminal = new FakeTerminal();
    const { ended } = start([...withAgent(), "-o", "events", "edit"], {
      ...folders,
      terminal,
      stdoutTty: true,
    });
    await terminal.output.waitFor("Choose");
    terminal.type("1\n");
    await ended;
    expect(terminal.output.text).toMatch(/^\u001b\[\?1049h\u001b\[H[^]*\u001b\[\?1049l$/);
  });
});

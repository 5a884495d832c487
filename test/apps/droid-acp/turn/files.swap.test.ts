// Another process swaps the file between the check of its path and the read.
import type * as NodeFs from "node:fs";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readNow } from "../../../../src/apps/droid-acp/turn/tool-relay.ts";

const { afterCheck } = vi.hoisted(() => ({ afterCheck: { swap: () => {} } }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof NodeFs>();
  const statSync = (...args: Parameters<typeof fs.statSync>) => {
    const stats = fs.statSync(...args);
    afterCheck.swap();
    return stats;
  };
  return { ...fs, statSync };
});

describe.skipIf(process.platform === "win32")("a file that is swapped after its check", () => {
  it.each([
    [
      "a file that is too large",
      (path: string) => writeFileSync(path, "x".repeat(2 * 1024 * 1024 + 1)),
    ],
    [
      "a device",
      (path: string) => {
        rmSync(path);
        symlinkSync("/dev/null", path);
      },
    ],
  ])("for %s is not read", (_, swap) => {
    const folder = mkdtempSync(join(tmpdir(), "dragoman-swap-"));
    onTestFinished(() => {
      afterCheck.swap = () => {};
      rmSync(folder, { recursive: true });
    });
    const path = join(folder, "file");
    writeFileSync(path, "old\n");
    afterCheck.swap = () => swap(path);
    expect(readNow(path)).toBeUndefined();
  });
});

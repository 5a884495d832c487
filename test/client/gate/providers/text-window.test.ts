import { mkdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  sliceLines,
  decodeWindow,
  readWindow,
} from "../../../../src/client/gate/providers/text-window.ts";
import { seed, times } from "../../../support/soak.ts";
import { scratch } from "../scratch.ts";

describe("a window of lines", () => {
  it("contains the same lines as splitting the text would, for any chunk boundaries", async () => {
    using tree = scratch();
    mkdirSync(tree.ws);
    const path = join(tree.ws, "a");
    const piece = fc.oneof(
      fc.constantFrom("\n", "\r\n", "", "é", "🦊", "x"),
      fc.integer({ min: 65_530, max: 65_540 }).map((n) => "y".repeat(n)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 12 }),
        fc.nat(8),
        fc.option(fc.nat(8), { nil: undefined }),
        async (pieces, line, limit) => {
          const text = pieces.join("");
          writeFileSync(path, text);
          const handle = await open(path);
          try {
            const bytes = await readWindow(handle, path, { line, limit }, Infinity);
            const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
            const start = Math.max(line, 1) - 1;
            const expected = lines.slice(start, limit === undefined ? undefined : start + limit);
            expect(decodeWindow(bytes, path)).toBe(expected.join(""));
            expect(sliceLines(text, { line, limit })).toBe(expected.join(""));
          } finally {
            await handle.close();
          }
        },
      ),
      { seed, numRuns: times(100, 2_000) },
    );
  });
});

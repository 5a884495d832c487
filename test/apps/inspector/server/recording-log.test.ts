import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RecordingLog } from "../../../../src/apps/inspector/server/recording-log.ts";
import { useTempFolder } from "../../../support/temp-folder.ts";

async function textOf(log: RecordingLog, from = 0): Promise<string> {
  const chunks: Buffer[] = [];
  for (let position = from; position < log.bytes;) {
    const chunk = await log.read(position);
    chunks.push(chunk);
    position += chunk.length;
  }
  return Buffer.concat(chunks).toString();
}

describe("a log", () => {
  it("gives back its lines from any entry on", async () => {
    const log = new RecordingLog();
    const lines = Array.from({ length: 3000 }, (_, n) => `${n} ${"ü".repeat(n % 200)}\n`);
    for (const line of lines) log.write(line);
    expect(log.entries).toBe(2999);
    expect(await textOf(log)).toBe(lines.join(""));
    for (const line of [0, 1, 777, 2999])
      expect(await textOf(log, await log.positionOf(line))).toBe(lines.slice(line).join(""));
    expect(await log.positionOf(3000)).toBe(log.bytes);
    expect(await log.read(log.bytes)).toHaveLength(0);
    await log.close();
  });

  it("reports the next line and its end", async () => {
    const log = new RecordingLog();
    const first = log.changed();
    log.write("a\n");
    await first;
    const ended = log.changed();
    log.end();
    await ended;
    expect(log.isOpen).toBe(false);
    await log.close();
  });
});

describe("a long log", () => {
  let folder = "";
  useTempFolder((path) => (folder = path), "test");

  const line = (n: number): string => `${String(n).padStart(8, "0")}${"x".repeat(991)}\n`;

  it("keeps its newest lines in memory and the rest in a file without a name", async () => {
    const log = new RecordingLog({ memoryBytes: 1024 * 1024, folder });
    for (let n = 0; n < 10_000; n++) log.write(line(n));
    await expect
      .poll(() => log.bytesInMemory, { timeout: 20_000 })
      .toBeLessThanOrEqual(1024 * 1024);
    expect(await readdir(folder)).toEqual([]);
    const text = await textOf(log);
    expect(text).toHaveLength(10_000_000);
    expect(text.startsWith(line(0)) && text.endsWith(line(9999))).toBe(true);
    expect((await log.read(await log.positionOf(1234))).toString()).toMatch(/^00001234x/);
    await log.close();
  });

  it("asks its source to wait while the disk is behind, and recovers", async () => {
    const log = new RecordingLog({ memoryBytes: 1024 * 1024, folder });
    const big = `${"y".repeat(1024 * 1024)}\n`;
    let written = 0;
    for (; written < 100 && !log.isOverloaded; written++) log.write(big);
    expect(log.isOverloaded).toBe(true);
    await log.relieved();
    expect(log.isOverloaded).toBe(false);
    expect(await textOf(log)).toHaveLength(written * big.length);
    await log.close();
  });

  it("keeps what fits into memory and counts the rest if there is no disk", async () => {
    const log = new RecordingLog({ memoryBytes: 1024 * 1024, folder: join(folder, "missing") });
    let written = 0;
    // The log learns only later that it cannot create its file. Until then, it keeps everything.
    while (log.leftOut === 0) {
      for (let n = 0; n < 1000; n++) {
        log.write(line(written++));
        await log.relieved();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(log.entries + 1 + log.leftOut).toBe(written);
    expect(await textOf(log)).toHaveLength((written - log.leftOut) * 1000);
    expect(log.isOverloaded).toBe(false);
    await log.close();
  });

  it("opens no file for lines that come after its end", async () => {
    const log = new RecordingLog({ memoryBytes: 1024, folder });
    await log.close();
    for (let n = 0; n < 10; n++) log.write(line(n));
    expect(log.leftOut).toBe(8);
  });
});

import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type InspectServer, serveInspector } from "../../../../src/apps/inspector/index.ts";
import { recorder } from "../../../../src/transport/wire/index.ts";
import { times } from "../../../support/soak.ts";
import { quick } from "../../../support/suite.ts";
import { messageLine, PAGE, pageHeaders } from "./http.ts";

const FRAMES = quick ? 1000 : times(10_000, 600_000);
const MIB = 1024 * 1024;

let server: InspectServer;
beforeEach(async () => {
  server = await serveInspector({ page: PAGE });
});
afterEach(() => server.close());

/** Reads the recording of the first session. `read` is false for a page that has stopped reading. */
function open(read: boolean): Promise<{ lines: () => number; ended: Promise<void> }> {
  return new Promise((resolve) => {
    const path = "/api/recording?session=1";
    const sent = request({ port: server.port, path, headers: pageHeaders(server) }, (response) => {
      let lines = 0;
      if (read)
        response.on("data", (chunk: Buffer) => {
          for (const byte of chunk) if (byte === 0x0a) lines++;
        });
      const ended = new Promise<void>((done) => response.on("end", done).on("error", () => done()));
      resolve({ lines: () => lines, ended });
    });
    sent.on("error", () => {});
    sent.end();
  });
}

it("takes 10,000 frames a second, loses none, and keeps little in memory for a page that stalls", async () => {
  const session = server.add({ name: "live", memoryBytes: 2 * MIB });
  const record = recorder((line) => session.write(line));
  const words = "some words of an answer ".repeat(8);
  const [reader, stalled] = await Promise.all([open(true), open(false)]);
  let most = 0;
  for (let sent = 0; sent < FRAMES; sent += 100) {
    for (let n = sent; n < sent + 100; n++)
      record({ at: n, direction: "in", line: messageLine(`m${n}`, words) });
    most = Math.max(most, session.log.bytesInMemory);
    if (session.log.isOverloaded) await session.log.relieved();
    await pause(10);
  }
  session.log.end();
  await reader.ended;
  expect(reader.lines()).toBe(FRAMES + 1);
  expect(stalled.lines()).toBe(0);
  expect(most).toBeLessThan(34 * MIB);
});

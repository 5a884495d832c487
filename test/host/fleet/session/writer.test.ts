import { describe, expect, it } from "vitest";
import { type FleetLog, memoryFleet, type FleetEntry } from "../../../../src/host/fleet/index.ts";
import { FleetError } from "../../../../src/host/fleet/errors.ts";
import { readEntry } from "../../../../src/host/fleet/session/entries.ts";
import { SessionWriter } from "../../../../src/host/fleet/session/writer.ts";
import { deferred } from "../../../../src/base/index.ts";
import { textOf } from "../rig.ts";

const LIMITS = { maxUnacknowledged: 4, chunkMs: 10, chunkChars: 8 };

function said(text: string): FleetEntry {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return { type: "update", params: { update } };
}

function started(id: string): FleetEntry {
  return { type: "turn_started", id };
}

async function texts(log: FleetLog): Promise<string[]> {
  const all: string[] = [];
  for await (const { text } of log.read("s")) all.push(textOf(readEntry(text)));
  return all;
}

describe("the writer of a log", () => {
  it("stores pieces of text together, up to a length, and before anything that follows", async () => {
    const { log } = memoryFleet().connect();
    const writer = new SessionWriter(
      log,
      { session: "s", fence: 1, after: 0, lost: () => {} },
      LIMITS,
    );
    for (const piece of ["a", "b", "c", "d", "e", "f", "g", "h", "i"]) writer.add(said(piece));
    writer.add(started("1"));
    writer.add(said("j"));
    const position = await writer.flush();
    expect(await texts(log)).toEqual(["abcdefgh", "i", "", "j"]);
    expect(position).toBe(await log.last("s"));
    expect(await writer.flush()).toBe(position);
    writer.close();
  });

  it("stores a piece of text by itself when no other comes", async () => {
    const { log } = memoryFleet().connect();
    const lost = (): void => {};
    const writer = new SessionWriter(log, { session: "s", fence: 1, after: 0, lost }, LIMITS);
    const stream = log.read("s", { follow: true });
    writer.add(said("alone"));
    expect(textOf(readEntry((await stream.next()).value?.text ?? ""))).toBe("alone");
    writer.close();
  });

  it("is full until the engine has acknowledged enough", async () => {
    const { log } = memoryFleet().connect();
    const gate = deferred();
    const slow: FleetLog = {
      ...log,
      append: async (...args) => {
        await gate.promise;
        return log.append(...args);
      },
    };
    const lost = (): void => {};
    const writer = new SessionWriter(slow, { session: "s", fence: 1, after: 0, lost }, LIMITS);
    for (const id of ["1", "2", "3"]) writer.add(started(id));
    expect(writer.isFull).toBe(false);
    writer.add(started("4"));
    expect(writer.isFull).toBe(true);
    const { drained } = writer;
    gate.resolve();
    await drained;
    expect(writer.isFull).toBe(false);
    await writer.flush();
    writer.close();
  });

  it("ends when another owner has appended, and appends nothing more", async () => {
    const { log } = memoryFleet().connect();
    const ended = deferred<Error>();
    const session = { session: "s", fence: 1, after: 0, lost: ended.resolve };
    const writer = new SessionWriter(log, session, LIMITS);
    const position = await writer.append(started("1"));
    await log.append("s", "takeover", { fence: 2, after: position });
    const late = writer.append(started("2"));
    await expect(late).rejects.toMatchObject({ code: "fenced" });
    expect(await ended.promise).toBeInstanceOf(FleetError);
    writer.add(started("3"));
    await expect(writer.flush()).rejects.toMatchObject({ code: "fenced" });
    expect(await texts(log)).toHaveLength(2);
  });
});

// When the page asks for findings, and what it may say about them.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Finding } from "../../../../src/apps/inspector/index.ts";
import { PageRecording } from "../../../../src/apps/inspector/page/recording.ts";
import type { PageFindings, PageSource } from "../../../../src/apps/inspector/page/source.ts";
import { type Deferred, deferred } from "../../../../src/base/index.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FINDING: Finding = {
  rule: "R-1",
  severity: "error",
  side: "agent",
  requirement: "A rule.",
  source: "",
  message: "broken",
  frames: [1],
};

/** A session that is live until `end`, and whose findings are answered by hand. */
class LiveSource implements PageSource {
  readonly isServed = true;
  readonly requests: Deferred<PageFindings>[] = [];
  #isLive = true;
  #entries = 0;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  sessions() {
    return Promise.resolve([{ id: "1", name: "a", live: this.#isLive, losses: [] }]);
  }

  recording() {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller;
      },
    });
    return Promise.resolve(stream);
  }

  findings() {
    const request = deferred<PageFindings>();
    this.requests.push(request);
    return request.promise;
  }

  fields() {
    return Promise.resolve({});
  }

  async add(): Promise<void> {
    const line = JSON.stringify({ jsonrpc: "2.0", method: `m${this.#entries++}` });
    const entry = JSON.stringify({ ms: this.#entries, direction: "in", line });
    this.#stream?.enqueue(new TextEncoder().encode(`${entry}\n`));
    await settle();
  }

  async end(): Promise<void> {
    this.#isLive = false;
    this.#stream?.close();
    await settle();
  }

  /** Answers the newest request with the findings about everything so far. */
  async answer(findings: readonly Finding[]): Promise<void> {
    this.requests.at(-1)?.resolve({ findings, entries: this.#entries });
    await settle();
  }

  async fail(): Promise<void> {
    this.requests.at(-1)?.reject(new Error("the judge is ill"));
    await settle();
  }
}

/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

async function open() {
  const source = new LiveSource();
  const [info] = await source.sessions();
  if (!info) throw new Error("there is no session");
  const recording = new PageRecording(info, source, () => {});
  void recording.read();
  await settle();
  return { source, recording };
}

describe("the findings of a live session", () => {
  it("are asked for with the first frames, and are unknown until the answer", async () => {
    const { source, recording } = await open();
    expect(source.requests).toHaveLength(0);
    await source.add();
    expect(source.requests).toHaveLength(1);
    expect(recording).toMatchObject({ findings: undefined, isJudged: false });
    await source.answer([]);
    expect(recording).toMatchObject({ findings: [], isJudged: true });
  });

  it("are requested again after the last frame", async () => {
    const { source, recording } = await open();
    await source.add();
    await source.answer([]);
    await source.add();
    await source.add();
    expect(source.requests).toHaveLength(1);
    expect(recording.isJudged).toBe(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(source.requests).toHaveLength(2);
    await source.answer([FINDING]);
    expect(recording).toMatchObject({ findings: [FINDING], isJudged: true });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(source.requests).toHaveLength(2);
  });

  it("are asked for by one request at a time, however slow the answer", async () => {
    const { source, recording } = await open();
    await source.add();
    for (let second = 0; second < 10; second++) {
      await source.add();
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(source.requests).toHaveLength(1);
    source.requests[0]?.resolve({ findings: [], entries: 1 });
    await settle();
    expect(recording.isJudged).toBe(false);
    expect(source.requests).toHaveLength(2);
    await source.answer([]);
    expect(recording.isJudged).toBe(true);
  });

  it("are requested again after a failure, which is not a clean bill", async () => {
    const { source, recording } = await open();
    await source.add();
    await source.fail();
    expect(recording).toMatchObject({ findings: undefined, findingsFailure: "the judge is ill" });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(source.requests).toHaveLength(2);
    await source.answer([FINDING]);
    expect(recording).toMatchObject({ findings: [FINDING], findingsFailure: undefined });
  });

  it("are asked for once more at the end, when rules about the end can judge", async () => {
    const { source, recording } = await open();
    await source.add();
    await source.answer([]);
    await source.end();
    expect(recording.state.type).toBe("live");
    expect(source.requests).toHaveLength(2);
    await source.answer([FINDING]);
    expect(recording).toMatchObject({ state: { type: "done" }, findings: [FINDING] });
  });
});

describe("an export", () => {
  it("waits for the findings about everything so far", async () => {
    const { source, recording } = await open();
    await source.add();
    await source.answer([]);
    await source.add();
    const found = recording.allFindings();
    await settle();
    await source.answer([FINDING]);
    expect(await found).toEqual([FINDING]);
  });

  it("fails if the request fails, instead of reporting none", async () => {
    const { source, recording } = await open();
    await source.add();
    await source.answer([]);
    await source.add();
    const found = recording.allFindings();
    const failure = expect(found).rejects.toThrow("the judge is ill");
    await settle();
    await source.fail();
    await failure;
  });
});

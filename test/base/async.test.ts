import { getEventListeners } from "node:events";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  callSafely,
  deferred,
  isThenable,
  quiet,
  unlessAborted,
  within,
} from "../../src/base/async.ts";
import { toError } from "../../src/base/errors.ts";

/** Node reports unhandled rejections before the next turn, which would fail the run. */
const untilReported = (): Promise<unknown> => new Promise(setImmediate);

describe("within", () => {
  it("resolves with true if the work is done in time", async () => {
    expect(await within(Promise.resolve("done"), 60_000)).toBe(true);
  });

  it("resolves with false if the work is not done in time, and the work continues", async () => {
    const work = deferred<string>();
    expect(await within(work.promise, 1)).toBe(false);
    work.resolve("later");
    expect(await work.promise).toBe("later");
  });

  it("rejects if the work rejects in time", async () => {
    await expect(within(Promise.reject(new Error("work")), 60_000)).rejects.toThrow("work");
  });

  it("ignores work that rejects too late", async () => {
    const work = deferred();
    expect(await within(work.promise, 1)).toBe(false);
    work.reject(new Error("too late"));
    await untilReported();
  });
});

describe("unlessAborted", () => {
  it("passes on the result or the error of the work, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    const failed = unlessAborted(Promise.reject(new Error("work")), signal);
    await expect(failed).rejects.toThrow("work");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("rejects with the signal's reason when the signal is aborted first", async () => {
    const abort = new AbortController();
    const work = deferred();
    const waiting = unlessAborted(work.promise, abort.signal);
    abort.abort("changed my mind");
    await expect(waiting).rejects.toThrow("changed my mind");
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    work.reject(new Error("too late"));
    await untilReported();
  });

  it("rejects at once, with the given error, if the signal is already aborted", async () => {
    const work = Promise.reject(new Error("work"));
    const waiting = unlessAborted(work, AbortSignal.abort(), () => new Error("given"));
    await expect(waiting).rejects.toThrow("given");
    await untilReported();
  });
});

describe("quiet", () => {
  it("returns the same promise, and its rejection is never reported as unhandled", async () => {
    const promise = Promise.reject(new Error("quiet"));
    expect(quiet(promise)).toBe(promise);
    await untilReported();
  });
});

describe("callSafely", () => {
  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("user code");
      },
    ],
    ["rejects", () => Promise.reject(new Error("user code"))],
    ["rejects in another realm", () => runInNewContext("Promise.reject(new Error('user code'))")],
  ])("ignores user code that %s", async (_, work) => {
    callSafely(work);
    await untilReported();
  });
});

describe("isThenable", () => {
  it.each<[string, unknown, boolean]>([
    ["a promise", Promise.resolve(), true],
    ["a promise from another realm", runInNewContext("Promise.resolve()"), true],
    ["an object with a then method", runInNewContext("({ then() {} })"), true],
    ["an object with a then field", runInNewContext("({ then: 1 })"), false],
    ["null", null, false],
    ["a function", () => {}, false],
  ])("of %s", (_, value, is) => {
    expect(isThenable(value)).toBe(is);
  });
});

describe("toError", () => {
  it("keeps an Error and wraps anything else", () => {
    const error = new TypeError("same");
    expect(toError(error)).toBe(error);
    expect(toError("text")).toEqual(new Error("text"));
  });
});

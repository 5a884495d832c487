import { afterEach, describe, expect, it, vi } from "vitest";
import { randomId } from "../../src/base/random-id.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

afterEach(() => vi.unstubAllGlobals());

describe("a random id", () => {
  it("is a UUID and never the same", () => {
    const ids = Array.from({ length: 100 }, randomId);
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(100);
  });

  it("is a UUID on an insecure page too, where browsers have no randomUUID", () => {
    const real = globalThis.crypto;
    const getRandomValues = (bytes: Uint8Array<ArrayBuffer>): Uint8Array =>
      real.getRandomValues(bytes);
    vi.stubGlobal("crypto", { getRandomValues });
    const ids = Array.from({ length: 100 }, randomId);
    expect(ids.filter((id) => !UUID.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(100);
  });
});

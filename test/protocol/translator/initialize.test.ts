import { describe, expect, it } from "vitest";
import {
  asksForV2,
  initializeParamsToBoth,
  initializeParamsToV1,
  initializeParamsToV2,
  initializeResultToV1,
  initializeResultToV2,
  isV2InitializeResult,
  initializeErrorVersions,
} from "../../../src/protocol/translator/initialize.ts";
import { capturedFrames, captures } from "./captures.ts";

const info = { name: "x", version: "1" };

describe("whether a client asks for v2", () => {
  it.each([
    [{ protocolVersion: 2, info }, true],
    [{ protocolVersion: 3, info }, true],
    [{ protocolVersion: 99, info, clientInfo: info }, true],
    [{ protocolVersion: 1, info }, false],
    [{ protocolVersion: 0, info }, false],
    [{ protocolVersion: 2 }, false],
    [{ protocolVersion: 99, clientInfo: info }, false],
    [{ protocolVersion: "2", info }, false],
    [undefined, false],
  ])("%j: %s", (params, expected) => {
    expect(asksForV2(params)).toBe(expected);
  });
});

describe("whether an agent answers in v2", () => {
  it.each([
    [{ protocolVersion: 2, info }, true],
    [{ protocolVersion: 2 }, false],
    [{ protocolVersion: 2, agentInfo: info }, false],
    [{ protocolVersion: 1, info }, false],
    [null, false],
  ])("%j: %s", (result, expected) => {
    expect(isV2InitializeResult(result)).toBe(expected);
  });

  it.each(captures.filter((name) => name.startsWith("init-")))("%s", (name) => {
    const results = capturedFrames(name).flatMap(({ frame, from }) =>
      from === "agent" && frame["result"] !== undefined ? [frame["result"]] : [],
    );
    const isV2 = !/v1-agent|v1-only|v1-client-router/.test(name);
    // In two captures the client lists sessions after it has initialised.
    expect(isV2InitializeResult(results[0])).toBe(isV2);
  });
});

describe("the versions in an error", () => {
  it.each([
    [{ code: -32022, data: { requested: 2, supported: [1, "x", 3] } }, [1, 3]],
    [{ code: -32022 }, []],
    [{ code: -32600, data: { supported: [1] } }, undefined],
    [undefined, undefined],
    ["-32022", undefined],
  ])("%j: %j", (error, expected) => {
    expect(initializeErrorVersions(error)).toEqual(expected);
  });
});

describe("initialize", () => {
  const v1 = {
    protocolVersion: 1,
    clientInfo: info,
    clientCapabilities: { fs: { readTextFile: true } },
    _meta: { a: 1 },
  };

  it("has both forms at once", () => {
    expect(initializeParamsToBoth(v1)).toEqual({
      ...v1,
      protocolVersion: 2,
      info,
      capabilities: {},
    });
  });

  it("has one form for each version", () => {
    const v2 = { protocolVersion: 2, info, capabilities: {}, _meta: { a: 1 } };
    expect(initializeParamsToV2(v1)).toEqual(v2);
    expect(initializeParamsToV1(v2)).toMatchObject({
      protocolVersion: 1,
      clientInfo: info,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      _meta: { a: 1 },
    });
    expect(initializeParamsToV2({ protocolVersion: 1 })["info"]).toEqual({
      name: "unknown",
      version: "unknown",
    });
  });

  it("is answered in the form of each version", () => {
    const v2 = { protocolVersion: 2, info, capabilities: { session: {} }, _meta: { a: 1 } };
    expect(initializeResultToV1(v2)).toMatchObject({
      protocolVersion: 2,
      agentInfo: info,
      agentCapabilities: { loadSession: true },
      authMethods: [],
      _meta: { a: 1 },
    });
    expect(initializeResultToV2({ protocolVersion: 1, agentCapabilities: {} })).toEqual({
      protocolVersion: 2,
      info: { name: "unknown", version: "unknown" },
      capabilities: { session: { prompt: {}, mcp: { stdio: {} } } },
      authMethods: [],
    });
  });
});

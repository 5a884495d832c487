import {
  AGENT_METHODS as sdkAgent,
  CLIENT_METHODS as sdkClient,
  PROTOCOL_METHODS as sdkProtocol,
  PROTOCOL_VERSION as sdkVersion,
} from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";

import {
  AGENT_METHODS,
  CLIENT_METHODS,
  ERROR_CODES,
  PROTOCOL_METHODS,
  PROTOCOL_VERSION,
} from "../../../src/protocol/acp/index.ts";
import { constantsOf } from "./schema.ts";

test("methods and protocol version equal those of the SDK", () => {
  expect(Object.values(AGENT_METHODS).toSorted()).toEqual(Object.values(sdkAgent).toSorted());
  expect(Object.values(CLIENT_METHODS).toSorted()).toEqual(Object.values(sdkClient).toSorted());
  expect(Object.values(PROTOCOL_METHODS)).toEqual(Object.values(sdkProtocol));
  expect(PROTOCOL_VERSION).toBe(sdkVersion);
});

test("error codes equal those of the schema", () => {
  expect(Object.values(ERROR_CODES).toSorted((a, b) => a - b)).toEqual(
    constantsOf("ErrorCode").toSorted((a, b) => a - b),
  );
});

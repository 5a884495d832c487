import type * as sdk from "@agentclientprotocol/sdk";
import { AGENT_METHODS as sdkAgent, CLIENT_METHODS as sdkClient } from "@agentclientprotocol/sdk";
import {
  PROTOCOL_METHODS as sdkProtocol,
  PROTOCOL_VERSION as sdkVersion,
} from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";

import * as acp from "../../src/acp/index.ts";
import { constantsOf } from "./schema.ts";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Literals<T> = T extends string ? (string extends T ? never : T) : never;

/** Every path to a capability in the SDK's types: the leaves, `_meta` aside. */
type Leaves<T> = {
  [K in Exclude<keyof T, "_meta"> & string]-?: NonNullable<T[K]> extends boolean
    ? K
    : string extends keyof NonNullable<T[K]>
      ? K
      : [Exclude<keyof NonNullable<T[K]>, "_meta">] extends [never]
        ? K
        : `${K}.${Leaves<NonNullable<T[K]>>}`;
}[Exclude<keyof T, "_meta"> & string];

// Checked by the compiler: each fails to type-check when the SDK's list and ours drift apart.
const agreed: {
  stopReasons: Same<acp.StopReason, sdk.StopReason>;
  toolKinds: Same<acp.ToolKind, sdk.ToolKind>;
  toolStatuses: Same<acp.ToolCallStatus, sdk.ToolCallStatus>;
  optionKinds: Same<acp.PermissionOptionKind, sdk.PermissionOptionKind>;
  planPriorities: Same<acp.PlanPriority, sdk.PlanEntryPriority>;
  planStatuses: Same<acp.PlanStatus, sdk.PlanEntryStatus>;
  agentMethods: Same<acp.AgentMethod, (typeof sdkAgent)[keyof typeof sdkAgent]>;
  clientMethods: Same<acp.ClientMethod, (typeof sdkClient)[keyof typeof sdkClient]>;
  protocolMethods: Same<acp.ProtocolMethod, (typeof sdkProtocol)[keyof typeof sdkProtocol]>;
  agentCapabilities: Same<
    Exclude<acp.AgentCapability, "sessionCapabilities.fork">,
    Leaves<sdk.AgentCapabilities>
  >;
  clientCapabilities: Same<acp.ClientCapability, Leaves<sdk.ClientCapabilities>>;
  updates: Same<
    Exclude<acp.UpdateType, "diff" | "unknown">,
    Literals<sdk.SessionUpdate["sessionUpdate"]>
  >;
  params: Same<
    Exclude<keyof acp.ParamsOf, acp.UnstableMethod>,
    acp.AgentMethod | acp.ClientMethod | acp.ProtocolMethod
  >;
} = {
  stopReasons: true,
  toolKinds: true,
  toolStatuses: true,
  optionKinds: true,
  planPriorities: true,
  planStatuses: true,
  agentMethods: true,
  clientMethods: true,
  protocolMethods: true,
  agentCapabilities: true,
  clientCapabilities: true,
  updates: true,
  params: true,
};

describe("the vocabulary", () => {
  test("agrees with the SDK's types", () => {
    expect(Object.values(agreed)).not.toContain(false);
  });

  test("agrees with the SDK's values", () => {
    expect(Object.values(acp.AGENT_METHODS).toSorted()).toEqual(Object.values(sdkAgent).toSorted());
    expect(Object.values(acp.CLIENT_METHODS).toSorted()).toEqual(
      Object.values(sdkClient).toSorted(),
    );
    expect(Object.values(acp.PROTOCOL_METHODS)).toEqual(Object.values(sdkProtocol));
    expect(acp.PROTOCOL_VERSION).toBe(sdkVersion);
  });

  test("has the schema's error codes", () => {
    expect(Object.values(acp.ERROR_CODES).toSorted((a, b) => a - b)).toEqual(
      constantsOf("ErrorCode").toSorted((a, b) => a - b),
    );
  });

  test.each([
    [acp.isStopReason, acp.STOP_REASONS],
    [acp.isToolKind, acp.TOOL_KINDS],
    [acp.isToolCallStatus, acp.TOOL_CALL_STATUSES],
    [acp.isPermissionOptionKind, acp.PERMISSION_OPTION_KINDS],
    [acp.isPlanPriority, acp.PLAN_PRIORITIES],
    [acp.isPlanStatus, acp.PLAN_STATUSES],
  ] as const)("guards take their words and nothing else (%#)", (guard, words) => {
    for (const word of words) expect(guard(word)).toBe(true);
    for (const other of ["", "constructor", "END_TURN", "error", 1, null, undefined, [], {}]) {
      expect(guard(other)).toBe(false);
    }
  });
});

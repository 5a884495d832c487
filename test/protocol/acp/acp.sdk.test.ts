import type * as sdk from "@agentclientprotocol/sdk";
import type * as unstable from "@agentclientprotocol/sdk/unstable";
import type {
  AGENT_METHODS as sdkAgent,
  CLIENT_METHODS as sdkClient,
  PROTOCOL_METHODS as sdkProtocol,
} from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";

import type * as acp from "../../../src/protocol/acp/index.ts";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Literals<T> = T extends string ? (string extends T ? never : T) : never;

/** Every path to a capability in the SDK's types: the leaves, except `_meta`. */
type Leaves<T> = {
  [K in Exclude<keyof T, "_meta"> & string]-?: NonNullable<T[K]> extends boolean
    ? K
    : string extends keyof NonNullable<T[K]>
      ? K
      : [Exclude<keyof NonNullable<T[K]>, "_meta">] extends [never]
        ? K
        : `${K}.${Leaves<NonNullable<T[K]>>}`;
}[Exclude<keyof T, "_meta"> & string];

// The compiler checks these: each fails to type-check when the SDK's list and ours differ.
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
    // It has a leaf below it, and both say something.
    Exclude<acp.AgentCapability, "sessionCapabilities.systemPrompt">,
    Leaves<unstable.AgentCapabilities>
  >;
  clientCapabilities: Same<acp.ClientCapability, Leaves<unstable.ClientCapabilities>>;
  updates: Same<
    Exclude<
      acp.AnyUpdate["type"],
      "diff" | "unknown" | acp.UnstableUpdate["type"] | acp.V2Update["type"]
    >,
    Literals<sdk.SessionUpdate["sessionUpdate"]>
  >;
  allUpdates: Same<
    Exclude<acp.AnyUpdate["type"], "diff" | "unknown" | acp.V2Update["type"]>,
    Literals<unstable.SessionUpdate["sessionUpdate"]>
  >;
  sentUpdates: Same<
    acp.SessionUpdate["sessionUpdate"],
    Literals<unstable.SessionUpdate["sessionUpdate"]>
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
  allUpdates: true,
  sentUpdates: true,
  params: true,
};

test("our types agree with the types of the SDK", () => {
  expect(Object.values(agreed)).not.toContain(false);
});

import { isJsonObject, type JsonObject, objectField, stringField } from "../../../base/index.ts";
import {
  type WireMessage,
  paramsOf,
  readMessage,
  resultOf,
  type SessionModel,
} from "../../../trace/index.ts";

/** A field that differs between two sessions. Undefined: one side lacks it. */
export interface FieldDifference {
  /** Where it is, such as `agentCapabilities.loadSession`. */
  readonly path: string;
  readonly a: unknown;
  readonly b: unknown;
}

/** The differences of two JSON values, by path. Lists are compared as a whole. */
export function fieldDifferences(a: unknown, b: unknown, path = ""): readonly FieldDifference[] {
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].toSorted();
    return keys.flatMap((key) =>
      fieldDifferences(a[key], b[key], path === "" ? key : `${path}.${key}`),
    );
  }
  return sameJson(a, b) ? [] : [{ path, a, b }];
}

function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    const [listA, listB]: [readonly unknown[], readonly unknown[]] = [a, b];
    return (
      listA.length === listB.length && listA.every((item, index) => sameJson(item, listB[index]))
    );
  }
  if (isJsonObject(a) && isJsonObject(b)) return fieldDifferences(a, b).length === 0;
  return a === b;
}

/**
 * Differences in what the two sides agreed on: versions, names, capabilities, sign-in methods, and the modes
 * and options of the first session. Session ids are ignored.
 */
export function setupDifferences(a: SessionModel, b: SessionModel): readonly FieldDifference[] {
  return fieldDifferences(setupOf(a), setupOf(b));
}

/** Everything that two sides agreed on before the first prompt. */
export function setupOf(model: SessionModel): JsonObject {
  const { frames } = model;
  const lane = model.lanes[0];
  const messageAt = (row: number): WireMessage | undefined =>
    row < 0 ? undefined : readMessage(frames.line(row));
  const offered = lane && messageAt(lane.initialize);
  const agreed = lane && messageAt(lane.initialized);
  const opened = model.sessions[0]?.opened ?? -1;
  const answer = opened < 0 ? -1 : frames.pair(opened);
  const opening = messageAt(answer);
  const { sessionId: _, ...session } = opening ? resultOf(opening) : {};
  return { client: offered && paramsOf(offered), agent: agreed && resultOf(agreed), session };
}

/** The names of the two sides. */
export interface SessionParties {
  readonly agent: { readonly name: string; readonly version: string | undefined } | undefined;
  readonly client: { readonly name: string; readonly version: string | undefined } | undefined;
  readonly protocolVersion: number | undefined;
}

/** Who talks to whom: from `initialize`, and otherwise from the header. */
export function partiesOf(model: SessionModel): SessionParties {
  const { client, agent } = setupOf(model);
  const { header } = model;
  return {
    agent: infoIn(agent, "agentInfo") ?? named(header.agent?.name, undefined),
    client: infoIn(client, "clientInfo") ?? named(header.client?.name, header.client?.version),
    protocolVersion: model.lanes[0]?.protocolVersion,
  };
}

function infoIn(value: unknown, field: string): SessionParties["agent"] {
  if (!isJsonObject(value)) return undefined;
  // v2 calls it `info` on both sides.
  const info = objectField(value, field) ?? objectField(value, "info");
  return (
    info &&
    named(stringField(info, "title") ?? stringField(info, "name"), stringField(info, "version"))
  );
}

function named(name: string | undefined, version: string | undefined): SessionParties["agent"] {
  return name === undefined ? undefined : { name, version };
}

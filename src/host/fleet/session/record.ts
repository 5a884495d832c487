import {
  asObject,
  booleanField,
  type JsonObject,
  numberField,
  objectsField,
  parseJsonObject,
  stringField,
  stringsField,
} from "../../../base/index.ts";
import type { FleetTable } from "../engine.ts";
import { FleetError } from "../errors.ts";

/** A session of a fleet, as its table has it. */
export interface FleetSession {
  readonly id: string;
  /** Who it belongs to. */
  readonly tenant: string;
  /** The pool whose workers may run it. */
  readonly pool: string;
  readonly agent: string;
  /** The folder that it works in, as the worker's roots know it. */
  readonly cwd: string;
  /** More folders, likewise. */
  readonly additionalDirectories: readonly string[];
  /** The MCP servers that its agent connects to. */
  readonly mcpServers: readonly JsonObject[];
  readonly host: string | undefined;
  /** The volume that has its agent's history; undefined before the first host. */
  readonly volume: string | undefined;
  /** The fence of its last owner; 0 before the first. */
  readonly fence: number;
  /** The id that the agent gave it; undefined until it is open. */
  readonly agentSessionId: string | undefined;
  /** Whether a turn is running, so that a worker looks after it if its owner dies. */
  readonly isBusy: boolean;
  /** When it was created, or a turn started or ended last, in milliseconds since the epoch. */
  readonly usedAt: number;
}

/** The parts of a session that its creator decides about. */
export type NewSessionRecord = Pick<
  FleetSession,
  "id" | "tenant" | "pool" | "agent" | "cwd" | "additionalDirectories" | "mcpServers"
>;

/** A session that no worker has had. */
export function newSession(start: NewSessionRecord): FleetSession {
  return {
    ...start,
    host: undefined,
    volume: undefined,
    fence: 0,
    agentSessionId: undefined,
    isBusy: false,
    usedAt: Date.now(),
  };
}

export function writeSession(session: FleetSession): string {
  return JSON.stringify(session);
}

/** Pure: reads a session; undefined if the text is not one. */
export function readSession(text: string): FleetSession | undefined {
  const raw = asObject(parseJsonObject(text));
  const id = stringField(raw, "id");
  if (id === undefined) return undefined;
  return {
    id,
    tenant: stringField(raw, "tenant") ?? "",
    pool: stringField(raw, "pool") ?? "",
    agent: stringField(raw, "agent") ?? "",
    cwd: stringField(raw, "cwd") ?? "",
    additionalDirectories: stringsField(raw, "additionalDirectories"),
    mcpServers: objectsField(raw, "mcpServers"),
    host: stringField(raw, "host"),
    volume: stringField(raw, "volume"),
    fence: numberField(raw, "fence") ?? 0,
    agentSessionId: stringField(raw, "agentSessionId"),
    isBusy: booleanField(raw, "isBusy") ?? false,
    usedAt: numberField(raw, "usedAt") ?? 0,
  };
}

/** Pure: makes a tenant's id unique across tenants. */
export function tenantRecordId(tenant: string, id: string): string {
  return `${tenant.replaceAll("%", "%25").replaceAll(":", "%3A")}:${id}`;
}

/** The session of a table. Rejects with FleetError `invalid` if it is unknown. */
export async function findSession(table: FleetTable, id: string): Promise<FleetSession> {
  const entry = await table.get(id);
  const session = entry && readSession(entry.value);
  if (!session) throw new FleetError("session_not_found", `the session ${id} is unknown`);
  return session;
}

/** Changes a session in the table, however often others change it meanwhile. Rejects with FleetError. */
export async function changeSession(
  table: FleetTable,
  id: string,
  change: (session: FleetSession) => FleetSession,
): Promise<FleetSession> {
  for (;;) {
    const entry = await table.get(id);
    const session = entry && readSession(entry.value);
    if (!entry || !session)
      throw new FleetError("session_not_found", `the session ${id} is unknown`);
    const changed = change(session);
    const isStored = await table.update(id, writeSession(changed), entry.revision);
    if (isStored !== undefined) return changed;
  }
}

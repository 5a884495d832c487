import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  connectNats,
  createNatsUsers,
  FLEET_ROLES,
  type FleetEngine,
  type FleetUser,
  inboxOf,
  natsRightsConfig,
} from "../../../src/host/fleet/index.ts";
import { natsServer, type NatsServers, needsNats, startNats } from "./nats-server.ts";
import { loadNatsPackages } from "../../../src/host/fleet/nats/packages.ts";

const W1: FleetUser = { role: "worker", host: "w1" };
const W2: FleetUser = { role: "worker", host: "w2" };

describe.skipIf(natsServer === undefined)(needsNats("the rights of a fleet"), () => {
  let servers: NatsServers;
  let folder: string;
  const roles = FLEET_ROLES.filter((role) => role !== "worker").map((role) => ({ role }));
  const fileOf = ({ role, host = "" }: FleetUser): string => join(folder, `${role}${host}`);

  /** Connects with the key of one user, as the process of another. */
  const connect = async (user: FleetUser, as = user): Promise<FleetEngine> => {
    const engine = await connectNats({
      servers: servers.urls,
      credentials: { kind: "nkey", path: fileOf(user) },
      inboxPrefix: inboxOf(as),
      limits: { retryMs: 2000 },
    });
    onTestFinished(() => engine.close());
    return engine;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "dragoman-rights-"));
    const users = await createNatsUsers([...roles, W1, W2]);
    for (const user of users) writeFileSync(fileOf(user), user.seed, { mode: 0o600 });
    servers = await startNats(1, natsRightsConfig(users, undefined));
    const options = { servers: servers.urls, inboxPrefix: inboxOf({ role: "admin" }) };
    const credentials = { kind: "nkey", path: fileOf({ role: "admin" }) } as const;
    await (await connectNats({ ...options, credentials })).close();
  });
  afterAll(async () => {
    await servers.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("let a worker report itself and answer calls, only under its own name", async () => {
    const worker = await connect(W1);
    await worker.hosts.put("w1", "here");
    await expect(worker.hosts.put("w2", "here")).rejects.toMatchObject({ code: "not_allowed" });
    await expect(worker.hosts.delete("w2")).rejects.toMatchObject({ code: "not_allowed" });
    await worker.calls.answer("w1", async (text) => `one ${text}`);
    // The servers refuse the subscription, so no process answers for this name.
    await worker.calls.answer("w2", async (text) => `wrong ${text}`);
    const gateway = await connect({ role: "gateway" });
    expect(await gateway.calls.call("w1", "hello")).toBe("one hello");
    await expect(gateway.calls.call("w2", "hello")).rejects.toMatchObject({ code: "no_owner" });
  });

  it("let a worker hear only the answers to itself", async () => {
    await expect(connect(W2, W1)).rejects.toMatchObject({ name: "FleetError" });
  });

  it("let a worker append, and a gateway, jobs and status only read", async () => {
    const worker = await connect(W1);
    const position = await worker.log.append("s", "text", { fence: 1, after: 0 });
    for (const role of ["gateway", "jobs", "status"] as const) {
      const engine = await connect({ role });
      expect(await engine.log.last("s")).toBe(position);
      const refused = engine.log.append("s", "more", { fence: 1, after: position });
      await expect(refused).rejects.toMatchObject({ code: "not_allowed" });
    }
  });

  it.each(["gateway", "jobs", "status"] as const)("let %s hear of new entries", async (role) => {
    const { transport } = await loadNatsPackages();
    const inboxPrefix = inboxOf({ role });
    const seed = readFileSync(fileOf({ role }));
    const authenticator = transport.nkeyAuthenticator(seed);
    const connection = await transport.connect({
      servers: [...servers.urls],
      inboxPrefix,
      authenticator,
    });
    onTestFinished(() => connection.close());
    const heard = connection.subscribe("dr.ev.*", { max: 1 });
    await connection.flush();
    const worker = await connect(W1);
    await worker.log.append(`heard by ${role}`, "text", { fence: 1, after: 0 });
    const subjects: string[] = [];
    for await (const { subject } of heard) subjects.push(subject);
    expect(subjects).toEqual([expect.stringMatching(/^dr\.ev\./)]);
  });

  it("let gateways and jobs submit work, and no other role", async () => {
    const allowed = await connect({ role: "jobs" });
    expect(await allowed.work.add("pool", "one", "work")).toBe(true);
    for (const user of [W1, { role: "status" } as const]) {
      const engine = await connect(user);
      const refused = engine.work.add("pool", "two", "work");
      await expect(refused).rejects.toMatchObject({ code: "not_allowed" });
    }
  });

  it("let only workers hold leases", async () => {
    expect(await (await connect(W1)).leases.take("session", "w1")).toBeDefined();
    const refused = (await connect({ role: "gateway" })).leases.take("other", "w1");
    await expect(refused).rejects.toMatchObject({ code: "not_allowed" });
  });
});

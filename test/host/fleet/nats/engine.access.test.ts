import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  connectNats,
  type NatsOptions,
  natsRightsConfig,
} from "../../../../src/host/fleet/index.ts";
import { createAuthority, hasOpenssl, needsOpenssl } from "../certificates.ts";
import { natsServer, needsNats, startNats } from "../nats-server.ts";

async function serve(config: string): Promise<readonly string[]> {
  const servers = await startNats(1, config);
  onTestFinished(() => servers.close());
  return servers.urls;
}

/** Connects, uses the engine once, and closes it. */
async function use(options: NatsOptions): Promise<void> {
  const engine = await connectNats(options);
  try {
    await engine.sessions.put("k", "v");
  } finally {
    await engine.close();
  }
}

describe.skipIf(natsServer === undefined)(needsNats("access to NATS"), () => {
  it("needs the right password, which no error shows", async () => {
    const servers = await serve('authorization { user: "me", password: "secret" }');
    await use({ servers, credentials: { kind: "password", user: "me", password: "secret" } });
    const wrong = { kind: "password", user: "me", password: "wrong-one" } as const;
    const refused = use({ servers, credentials: wrong });
    await expect(refused).rejects.toMatchObject({ code: "connect_failed" });
    const [address = ""] = servers;
    const inUrl = use({ servers: address.replace("//", "//me:wrong-one@") });
    await expect(inUrl).rejects.toThrow(
      /^could not connect to NATS at nats:\/\/127\.0\.0\.1:\d+: (?!.*wrong-one)/,
    );
  });

  it("needs the right token", async () => {
    const servers = await serve('authorization { token: "secret" }');
    await use({ servers, credentials: { kind: "token", token: "secret" } });
    await expect(use({ servers })).rejects.toMatchObject({ code: "connect_failed" });
  });

  it("needs a credentials file that exists", async () => {
    const credentials = { kind: "file", path: join(tmpdir(), "no-such-file.creds") } as const;
    const refused = use({ servers: "127.0.0.1:1", credentials });
    await expect(refused).rejects.toMatchObject({ code: "connect_failed" });
  });

  it.skipIf(!hasOpenssl)(
    needsOpenssl("is encrypted, and both sides check the certificate of the other"),
    async () => {
      const authority = createAuthority();
      onTestFinished(() => authority.remove());
      const { caFile } = authority;
      const tls = { ...authority.sign("server"), caFile };
      const servers = await serve(natsRightsConfig([], tls));
      const client = authority.sign("client");
      await use({ servers, tls: { caFile, ...client } });
      // A client without a certificate waits for its time limit: `npm run test:all -- fleet` has that.
      await expect(use({ servers, tls: client })).rejects.toMatchObject({
        code: "connect_failed",
      });
    },
  );

  it("can do without the right to create streams once they are there", async () => {
    const servers = await serve("");
    await use({ servers });
    await use({ servers, setup: false });
  });

  it("needs a prefix that fits into names", async () => {
    const refused = use({ servers: await serve(""), prefix: "a.b" });
    await expect(refused).rejects.toMatchObject({ code: "invalid_argument" });
  });
});

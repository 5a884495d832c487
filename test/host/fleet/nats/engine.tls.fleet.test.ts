import { describe, expect, it, onTestFinished } from "vitest";
import { connectNats, natsRightsConfig, type NatsTls } from "../../../../src/host/fleet/index.ts";
import { createAuthority, hasOpenssl, needsOpenssl } from "../certificates.ts";
import { startNats } from "../nats-server.ts";

describe.skipIf(!hasOpenssl)(needsOpenssl("TLS between processes and servers"), () => {
  it("needs a certificate of the same authority on both sides", async () => {
    const [authority, other] = [createAuthority(), createAuthority()];
    onTestFinished(() => [authority, other].forEach((one) => one.remove()));
    const { caFile } = authority;
    const config = natsRightsConfig([], { ...authority.sign("server"), caFile });
    const servers = await startNats(1, config);
    onTestFinished(() => servers.close());
    const use = async (tls: NatsTls | undefined): Promise<void> =>
      (await connectNats({ servers: servers.urls, tls })).close();
    const client = authority.sign("client");
    await use({ caFile, ...client });
    const refused: readonly (NatsTls | undefined)[] = [
      undefined,
      client,
      { caFile },
      { caFile: other.caFile, ...client },
      { caFile, ...other.sign("client") },
    ];
    for (const tls of refused) {
      await expect(use(tls)).rejects.toMatchObject({ code: "connect_failed" });
    }
  });
});

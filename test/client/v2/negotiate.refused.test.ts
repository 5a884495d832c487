import { describe, expect, it } from "vitest";
import { StartError, UnsupportedVersionError } from "../../../src/entries/dragoman.ts";
import { RpcError } from "../../../src/rpc/index.ts";
import { connect, FakeAgent, initialized } from "../fake-agent.ts";

const refusing = (...supported: readonly number[]) =>
  new FakeAgent({
    initialize: () => {
      throw new RpcError(-32022, "Unsupported protocol version", { requested: 1, supported });
    },
  });

const causeOf = async (starting: Promise<unknown>): Promise<unknown> => {
  const error = await starting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return error instanceof StartError ? error.cause : undefined;
};

describe("an agent without the version that the client asks for", () => {
  it("is named with the newest version that it has, if it has no version 1", async () => {
    const cause = await causeOf(connect(refusing(2, 3)));
    expect(cause).toBeInstanceOf(UnsupportedVersionError);
    expect(cause).toMatchObject({ offered: 3, spoken: 1, cause: { code: -32022 } });
  });

  it("keeps its own error if it names no versions", async () => {
    expect(await causeOf(connect(refusing()))).toMatchObject({ name: "RemoteError", code: -32022 });
    const cause = await causeOf(connect(refusing(), { protocol: 2 }));
    expect(cause).toMatchObject({ name: "RemoteError", code: -32022 });
  });

  it("speaks version 1, if it only repeats the number of version 2", async () => {
    const echo = () => initialized({}, { protocolVersion: 2 });
    const cause = await causeOf(connect(new FakeAgent({ initialize: echo }), { protocol: 2 }));
    expect(cause).toMatchObject({ name: "UnsupportedVersionError", offered: 1, spoken: 2 });
  });
});

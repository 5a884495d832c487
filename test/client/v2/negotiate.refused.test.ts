import { describe, expect, it } from "vitest";
import { AcpClient, StartError, UnsupportedVersionError } from "../../../src/entries/dragoman.ts";
import { memoryPair } from "../../../src/entries/wire.ts";

/** Starts a client with an agent that answers `initialize` with these fields. */
function startWith(answer: object, protocol: 1 | 2 = 1): Promise<AcpClient> {
  const [channel, agent] = memoryPair();
  agent.open((line) => {
    const { id } = JSON.parse(line) as { id: number };
    void agent.send(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });
  return AcpClient.start({ channel, protocol });
}

const refusal = (...supported: readonly number[]) => ({
  error: { code: -32022, message: "Unsupported protocol version", data: { supported } },
});

const causeOf = async (starting: Promise<unknown>): Promise<unknown> => {
  const error = await starting.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  return error instanceof StartError ? error.cause : undefined;
};

describe("an agent without the version that the client asks for", () => {
  it("is named with the newest version that it has, if it has no version 1", async () => {
    const cause = await causeOf(startWith(refusal(2, 3)));
    expect(cause).toBeInstanceOf(UnsupportedVersionError);
    expect(cause).toMatchObject({ offered: 3, spoken: 1, cause: { code: -32022 } });
  });

  it("keeps its own error if it names no versions", async () => {
    expect(await causeOf(startWith(refusal()))).toMatchObject({
      name: "RemoteError",
      code: -32022,
    });
    const cause = await causeOf(startWith(refusal(), 2));
    expect(cause).toMatchObject({ name: "RemoteError", code: -32022 });
  });

  it("speaks version 1, if it only repeats the number of version 2", async () => {
    const cause = await causeOf(startWith({ result: { protocolVersion: 2 } }, 2));
    expect(cause).toMatchObject({ name: "UnsupportedVersionError", offered: 1, spoken: 2 });
  });
});

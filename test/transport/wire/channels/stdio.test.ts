import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  openProcess,
  type ProcessChannel,
} from "../../../../src/transport/wire/process/channel.ts";
import { agentPath, bundleOf, type Bundle } from "../../../support/agents/bundle.ts";

let library: Bundle;
beforeAll(async () => {
  library = await bundleOf("src/entries/wire.ts");
});
afterAll(() => library.remove());

/** Starts an agent. `untilStderr` waits until the agent has written a text to stderr. */
async function start(): Promise<{
  channel: ProcessChannel;
  untilStderr: (text: string) => Promise<void>;
}> {
  let stderr = "";
  let check = (): void => {};
  const channel = await openProcess({
    command: process.execPath,
    args: [agentPath("stdio-agent.mjs"), library.url],
    onStderr: (text) => {
      stderr += text;
      check();
    },
  });
  const untilStderr = (text: string): Promise<void> =>
    new Promise((resolve) => {
      check = () => {
        if (stderr.includes(text)) resolve();
      };
      check();
    });
  return { channel, untilStderr };
}

describe("an agent on stdio", () => {
  it("still reads while its client does not, and loses no line", async () => {
    const { channel, untilStderr } = await start();
    const lines: string[] = [];
    channel.open((line) => lines.push(line));
    channel.pause();
    // Far more than a pipe holds: if the agent wrote synchronously, it would block here.
    await channel.send("5000");
    await channel.send("count");
    await untilStderr("read 2\n");
    expect(lines.length).toBeLessThan(5000);
    channel.resume();
    await channel.send("close");
    expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 0 } });
    expect(lines.slice(0, -1).map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 5000 }, (_, n) => n),
    );
    expect(lines.at(-1)).toBe("bye");
  });

  it("exits when its client closes its stdin", async () => {
    const { channel } = await start();
    channel.open(() => {});
    await channel.send("count");
    expect(await channel.close()).toMatchObject({
      kind: "closed",
      exit: { code: 0 },
      stderr: expect.stringContaining("closed: ended") as string,
    });
  });
});

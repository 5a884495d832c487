import { afterAll, beforeAll, expect, it } from "vitest";
import { openProcess, type ProcessChannel } from "../../../src/wire/process/channel.ts";
import { agentPath, bundleOf, type Bundle } from "../../support/agents/bundle.ts";

let library: Bundle;
beforeAll(async () => {
  library = await bundleOf("src/entries/wire.ts");
});
afterAll(() => library.remove());

/** An agent, and what it says on stderr. */
async function start(): Promise<{
  channel: ProcessChannel;
  said: (text: string) => Promise<void>;
}> {
  let stderr = "";
  let look = (): void => {};
  const channel = await openProcess({
    command: process.execPath,
    args: [agentPath("stdio-agent.mjs"), library.url],
    onStderr: (text) => {
      stderr += text;
      look();
    },
  });
  const said = (text: string): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (stderr.includes(text)) resolve();
      };
      look();
    });
  return { channel, said };
}

it("an agent whose client does not read still hears it, and loses no line", async () => {
  const { channel, said } = await start();
  const lines: string[] = [];
  channel.open((line) => lines.push(line));
  channel.pause();
  // Far more than any pipe holds: were the writing synchronous, the agent would be stuck in it.
  await channel.send("5000");
  await channel.send("count");
  await said("read 2\n");
  expect(lines.length).toBeLessThan(5000);
  channel.resume();
  await channel.send("close");
  expect(await channel.closed).toMatchObject({ kind: "exited", exit: { code: 0 } });
  expect(lines.slice(0, -1).map((line) => Number.parseInt(line, 10))).toEqual(
    Array.from({ length: 5000 }, (_, n) => n),
  );
  expect(lines.at(-1)).toBe("bye");
});

it("an agent ends when its client closes its stdin", async () => {
  const { channel } = await start();
  channel.open(() => {});
  await channel.send("count");
  expect(await channel.close()).toMatchObject({
    kind: "closed",
    exit: { code: 0 },
    stderr: expect.stringContaining("closed: ended") as string,
  });
});

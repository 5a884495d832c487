// Kills or closes many processes at random moments. Every end must be reported, and no process may
// be left.
import { expect, it, onTestFinished } from "vitest";
import {
  openProcess,
  type ProcessChannel,
} from "../../../../src/transport/wire/process/channel.ts";
import { randomFrom, seed, times } from "../../../support/soak.ts";
import { kill, untilNone, withArgument } from "../../../base/process/alive.ts";

const CONCURRENT = 4;

it(`${times(24, 400)} processes that end at random moments leave nothing behind`, async () => {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const word = `dragoman-soak-${process.pid}`;
  onTestFinished(() => kill(withArgument(word)));

  // Every process has this word among its arguments, so that leftovers can be found.
  const inner = `sh -c "while :; do sleep 1; done" ${word}`;
  const scripts = [
    `cat`,
    `exit 3`,
    `while :; do echo line; done`,
    `seq 1 100000`,
    `trap "" TERM; while :; do sleep 1; done`,
    `trap "exit 4" TERM; while :; do sleep 0.01; done`,
    `${inner}; true`,
    `setsid ${inner} & cat`,
    `(setsid ${inner} &); cat`,
    `(trap "" TERM; setsid ${inner} &); while read -r line; do echo "$line"; done`,
    `exec >&-; sleep 1000`,
    `exec <&-; sleep 1000`,
    `echo words >&2; kill -9 $$`,
  ];
  const endings: readonly ((channel: ProcessChannel) => unknown)[] = [
    (channel) => channel.close(),
    (channel) => Promise.all([channel.close(), channel.close()]),
    (channel) => process.kill(channel.pid, "SIGKILL"),
    (channel) => process.kill(channel.pid, "SIGTERM"),
    (channel) => {
      process.kill(channel.pid, "SIGKILL");
      return channel.close();
    },
    (channel) => {
      channel.pause();
      return channel.close();
    },
  ];

  async function startAndEndOne(): Promise<void> {
    const [script, end] = [pick(scripts), pick(endings)];
    const [doesOpen, doesSend, turns] = [
      random() < 0.9,
      random() < 0.7,
      Math.floor(random() * 400),
    ];
    const channel = await openProcess({
      command: "sh",
      args: ["-c", script, word],
      stages: { eofMs: 40, termMs: 40 },
    });
    let isClosed = false;
    const closed = channel.closed.then(() => {
      isClosed = true;
    });
    let late = 0;
    if (doesOpen) channel.open(() => void (isClosed && late++));
    for (let turn = 0; turn < turns; turn++) {
      if (doesSend && turn % 10 === 0) void channel.send("x".repeat(Math.floor(random() * 5000)));
      await new Promise(setImmediate);
    }
    try {
      await end(channel);
    } catch (error) {
      // It exited before it could be killed.
      expect(error).toMatchObject({ code: "ESRCH" });
    }
    // If the random action did not end the process, this does.
    await channel.close();
    await closed;
    expect(late).toBe(0);
  }

  let left = times(24, 400);
  const worker = async (): Promise<void> => {
    while (left-- > 0) await startAndEndOne();
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
  await untilNone(() => withArgument(word), 1000);
});

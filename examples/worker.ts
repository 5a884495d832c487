// An agent in a worker thread: it may compute for as long as it likes, and the client stays responsive.
//
//   node worker.ts [number]
import { isMainThread, MessageChannel, Worker, workerData } from "node:worker_threads";
import { AcpClient, messagePortChannel } from "dragoman";
import { serveAgent } from "dragoman/agent";

/** Slow on purpose. */
function primesBelow(limit: number): number {
  let found = 0;
  for (let n = 2; n < limit; n++) {
    let factor = 2;
    while (factor * factor <= n && n % factor !== 0) factor++;
    if (factor * factor > n) found++;
  }
  return found;
}

if (isMainThread) {
  const { port1, port2 } = new MessageChannel();
  const options = { workerData: port2, transferList: [port2] };
  const worker = new Worker(new URL(import.meta.url), options);
  worker.once("exit", (code) => console.log(`the worker ended with code ${code}`));

  await using client = await AcpClient.start({ channel: messagePortChannel(port1) });
  const session = await client.newSession({ cwd: process.cwd() });
  console.log(await session.prompt(process.argv[2] ?? "1000000").text());
} else {
  // Resolves when the client has closed the channel. Nothing keeps the worker running then.
  await serveAgent(messagePortChannel(workerData), {
    info: { name: "primes", version: "1.0.0" },
    newSession: () => ({}),
    prompt: async (turn) => {
      const limit = Number(turn.text);
      if (!Number.isSafeInteger(limit)) return "refusal";
      await turn.say(`There are ${primesBelow(limit)} primes below ${limit}.`);
      return "end_turn";
    },
  });
}

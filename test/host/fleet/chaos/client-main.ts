// A process with some clients of a fleet. The test that started it kills it at random.
import { ChaosClient } from "./client.ts";
import type { FromClients, ToClients } from "./client-process.ts";

let ports: readonly number[] = [];
let isOver = false;

function send(message: FromClients, sent: () => void = () => {}): void {
  process.send?.(message, sent);
}

process.on("message", (message: ToClients) => {
  switch (message.type) {
    case "start":
      ({ ports } = message);
      void run(message);
      break;
    case "ports":
      ({ ports } = message);
      break;
    case "over":
      isOver = true;
  }
});

async function run({ clients, token }: Extract<ToClients, { type: "start" }>): Promise<void> {
  try {
    await Promise.all(
      clients.map(async (state) => {
        const { name } = state;
        const client = new ChaosClient(state, {
          token,
          ports: () => ports,
          report: (event) => send({ type: "event", name, event }),
        });
        await client.run(() => isOver);
      }),
    );
    send({ type: "over" }, () => process.exit());
  } catch (error) {
    send({ type: "failed", message: String(error) }, () => process.exit());
  }
}

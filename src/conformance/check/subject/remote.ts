import { type ConnectRemoteOptions, connectRemote } from "../../../transport/remote/index.ts";
import { type Channel, type CloseReason, describeClose } from "../../../transport/wire/index.ts";
import { InputBudget, WROTE_TOO_MUCH } from "../harness/raw-lines.ts";
import type { Transport, TransportEnd } from "../harness/transport.ts";
import type { AgentSubject } from "./subject.ts";

/** An agent behind an address. It is not started by the run, so cases about processes are skipped. */
export function remoteSubject(url: string, options: ConnectRemoteOptions = {}): AgentSubject {
  return {
    name: url,
    command: url,
    isLocal: false,
    hasModel: false,
    connect: async () => channelTransport(await connectRemote(url, options)),
  };
}

/** Lines over a channel. Bytes that are not whole lines are collected until they are. */
function channelTransport(channel: Channel): Transport {
  let rest = "";
  const decoder = new TextDecoder();
  const budget = new InputBudget();
  return {
    open: (receive) =>
      channel.open((text) => {
        if (budget.take(text.length, 1)) receive({ text, isNotUtf8: false });
        else void channel.close();
      }),
    write: async (bytes) => {
      const text = typeof bytes === "string" ? bytes : decoder.decode(bytes, { stream: true });
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") await channel.send(line).catch(() => {});
    },
    process: undefined,
    ended: channel.closed.then((reason) =>
      budget.isSpent ? { how: WROTE_TOO_MUCH } : endOf(reason),
    ),
    stderr: () => "",
    stderrBytes: () => 0,
    end: async () => {
      await channel.close();
    },
  };
}

function endOf(reason: CloseReason): TransportEnd {
  const error = reason.kind === "failed" ? reason.error : undefined;
  return { how: `cannot be reached: ${describeClose(reason)}`, error };
}

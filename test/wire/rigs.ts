// One rig per kind of channel. The test controls the far side of each.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel } from "../../src/wire/channel.ts";
import { memoryPair } from "../../src/wire/channels/memory.ts";
import { openProcess } from "../../src/wire/process/channel.ts";
import { StreamChannel } from "../../src/wire/channels/stream.ts";
import { tapped } from "../../src/wire/recording/tap.ts";
import { channelFromStream, streamFromChannel } from "../../src/wire/channels/web-stream.ts";
import { webSockets } from "./web-socket-rigs.ts";

export interface Rig {
  readonly channel: Channel;
  /** Makes the far side send lines. Resolves once it has written them. */
  readonly farSend: (...lines: readonly string[]) => Promise<void>;
  /** Makes the far side go away after everything it sent. Resolves once it is gone. */
  readonly farLeave: () => Promise<void>;
  /** The `kind` that `closed` reports after that. */
  readonly kindAfterLeave: "ended" | "exited" | "failed";
  /** Resolves with the first line that the far side reads. */
  readonly farReceived: Promise<string>;
}

export interface RigKind {
  readonly name: string;
  /** The far side sends back every line it reads. */
  echoing(): Promise<Rig>;
  /** The far side never reads. */
  notReading(): Promise<Rig>;
}

const never = new Promise<never>(() => {});

const memory: RigKind = {
  name: "memory pair",
  echoing: () => {
    const [channel, far] = memoryPair();
    return Promise.resolve(rigOf(channel, far, echo(far)));
  },
  notReading: () => {
    const [channel, far] = memoryPair();
    return Promise.resolve(rigOf(channel, far, never));
  },
};

/** Sends every line back. Resolves with the first one. */
function echo(far: Channel): Promise<string> {
  return new Promise((resolve) => {
    far.open((line) => {
      resolve(line);
      void far.send(line);
    });
  });
}

function rigOf(channel: Channel, far: Channel, farReceived: Promise<string>): Rig {
  return {
    channel,
    // A test may close the channel while the far side sends.
    farSend: async (...lines) =>
      void (await Promise.allSettled(lines.map((line) => far.send(line)))),
    farLeave: async () => void (await far.close()),
    kindAfterLeave: "ended",
    farReceived,
  };
}

/**
 * The two ends of a real socket: bytes written before one end closes can still be read at the
 * other.
 */
async function sockets(): Promise<[Socket, Socket]> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-rig-"));
  const server = createServer();
  server.listen(join(folder, "socket"));
  await once(server, "listening");
  const near = connect(join(folder, "socket"));
  const [far] = (await once(server, "connection")) as [Socket];
  server.close();
  await rm(folder, { recursive: true });
  return [near, far];
}

function writeTo(socket: Socket): Rig["farSend"] {
  return (...lines) =>
    new Promise((resolve) => {
      socket.write(lines.map((line) => `${line}\n`).join(""), () => resolve());
    });
}

const stream: RigKind = {
  name: "pair of Node streams",
  echoing: async () => {
    const [near, socket] = await sockets();
    const far = new StreamChannel(socket, socket);
    const rig = rigOf(new StreamChannel(near, near), far, echo(far));
    return { ...rig, farSend: writeTo(socket) };
  },
  notReading: async () => {
    const [near, socket] = await sockets();
    return {
      channel: new StreamChannel(near, near),
      farSend: writeTo(socket),
      farLeave: async () => {
        socket.destroy();
        await once(socket, "close");
      },
      // The lines it never read make the system reset the connection.
      kindAfterLeave: "failed",
      farReceived: never,
    };
  },
};

/** Reports each line on stderr after it was echoed; long ones are left out to keep stderr short. */
const ECHO = `while IFS= read -r line; do
  [ "$line" = leave ] && exit 0
  printf "%s\\n" "$line"
  [ \${#line} -lt 100 ] && printf "%s\\n" "$line" >&2
done`;

const child: RigKind = {
  name: "process",
  echoing: async () => {
    const echoed = new LineLog();
    const channel = await openProcess({
      command: "sh",
      args: ["-c", ECHO],
      // It exits by itself when its stdin ends, so on a busy machine it gets all the time it needs.
      stages: { eofMs: 20_000, termMs: 50 },
      onStderr: (text) => echoed.append(text),
    });
    return {
      channel,
      farSend: async (...lines) => {
        for (const line of lines) void channel.send(line);
        await Promise.all(lines.map((line) => echoed.until((logged) => logged.includes(line))));
      },
      farLeave: () => {
        void channel.send("leave");
        return reaped(channel.pid);
      },
      kindAfterLeave: "exited",
      farReceived: echoed.until((logged) => logged.length > 0).then(([first = ""]) => first),
    };
  },
  notReading: async () => {
    const channel = await openProcess({
      command: "sleep",
      args: ["1000"],
      stages: { eofMs: 1000, termMs: 50 },
    });
    return {
      channel,
      farSend: () => Promise.resolve(),
      farLeave: () => {
        process.kill(channel.pid, "SIGKILL");
        return reaped(channel.pid);
      },
      kindAfterLeave: "exited",
      farReceived: never,
    };
  },
};

/** Lines of text that arrives in pieces. */
class LineLog {
  #text = "";
  #waiting: (() => void)[] = [];

  append(text: string): void {
    this.#text += text;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async until(isDone: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    for (;;) {
      const lines = this.#text.split("\n").slice(0, -1);
      if (isDone(lines)) return lines;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/**
 * Resolves once a child has exited and Node has taken notice: until then its pid can be signalled.
 */
async function reaped(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise(setImmediate);
  }
}

/** Messages here are JSON, so the lines of the shared suite are too. */
const web: RigKind = {
  name: "web stream",
  echoing: () => {
    const [near, far] = memoryPair();
    return Promise.resolve(rigOf(channelFromStream(streamFromChannel(near)), far, echo(far)));
  },
  notReading: () => {
    const [near, far] = memoryPair();
    const rig = rigOf(channelFromStream(streamFromChannel(near)), far, never);
    // The write that is waiting fails before the end of the readable is seen.
    return Promise.resolve({ ...rig, kindAfterLeave: "failed" });
  },
};

const tap: RigKind = {
  name: "tapped channel",
  echoing: async () => withTap(await memory.echoing()),
  notReading: async () => withTap(await memory.notReading()),
};

function withTap(rig: Rig): Rig {
  return { ...rig, channel: tapped(rig.channel, () => {}) };
}

export const rigKinds: readonly RigKind[] = [memory, stream, child, web, tap, ...webSockets];

// One rig per kind of channel. The test controls the far side of each.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { MessageChannel } from "node:worker_threads";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel } from "../../../src/transport/wire/channel.ts";
import { memoryPair } from "../../../src/transport/wire/channels/memory.ts";
import { openProcess } from "../../../src/transport/wire/process/channel.ts";
import { messagePortChannel } from "../../../src/transport/wire/channels/message-port.ts";
import {
  connectSocket,
  listenSocket,
  type SocketAddress,
} from "../../../src/transport/wire/channels/socket.ts";
import { nodeStreamChannel, StreamChannel } from "../../../src/transport/wire/channels/stream.ts";
import { tapped } from "../../../src/transport/wire/recording/tap.ts";
import {
  byteStreamChannel,
  channelFromStream,
  streamFromChannel,
} from "../../../src/transport/wire/channels/web-stream.ts";
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

/** A kind of channel over a socket whose far side is a plain one. */
function socketKind(
  name: string,
  connected: () => Promise<[Channel, Socket]>,
  kindAfterDeath: Rig["kindAfterLeave"] = "failed",
): RigKind {
  return {
    name,
    echoing: async () => {
      const [channel, socket] = await connected();
      const far = new StreamChannel(socket, socket);
      return { ...rigOf(channel, far, echo(far)), farSend: writeTo(socket) };
    },
    notReading: async () => {
      const [channel, socket] = await connected();
      return {
        channel,
        farSend: writeTo(socket),
        farLeave: async () => {
          socket.destroy();
          await once(socket, "close");
        },
        // The lines it never read make the system reset the connection.
        kindAfterLeave: kindAfterDeath,
        farReceived: never,
      };
    },
  };
}

const stream = socketKind("pair of Node streams", async () => {
  const [near, far] = await sockets();
  return [nodeStreamChannel(near, near), far];
});

const bytes = socketKind("pair of web streams of bytes", async () => {
  const [near, far] = await sockets();
  return [byteStreamChannel(Duplex.toWeb(near)), far];
});

/** Calls `work` with the address of a Unix socket that does not exist yet. */
async function atPath<T>(work: (address: SocketAddress) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "dragoman-rig-"));
  try {
    return await work({ path: join(folder, "socket") });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const atPort = <T>(work: (address: SocketAddress) => Promise<T>): Promise<T> => work({ port: 0 });

async function toServer(address: SocketAddress): Promise<[Channel, Socket]> {
  const server = createServer();
  server.listen("path" in address ? address : { host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const bound = server.address();
  const connection = once(server, "connection");
  const channel = await connectSocket(
    typeof bound === "object" && bound ? { port: bound.port } : address,
  );
  const [far] = (await connection) as [Socket];
  server.close();
  return [channel, far];
}

async function fromListener(address: SocketAddress): Promise<[Channel, Socket]> {
  const listener = await listenSocket(address);
  const channel = new Promise<Channel>((resolve) => listener.open(resolve));
  const far = connect({ host: "127.0.0.1", port: 0, ...listener.address });
  await once(far, "connect");
  const pair: [Channel, Socket] = [await channel, far];
  await listener.close();
  return pair;
}

const tcpAndUnix: readonly RigKind[] = [
  socketKind("connection to a TCP port", () => atPort(toServer)),
  socketKind("connection to a Unix socket", () => atPath(toServer)),
  socketKind("connection of a TCP server", () => atPort(fromListener)),
  socketKind("connection of a Unix socket server", () => atPath(fromListener)),
];

const port: RigKind = {
  name: "message port",
  echoing: () => {
    const { port1, port2 } = new MessageChannel();
    const far = messagePortChannel(port2);
    return Promise.resolve(rigOf(messagePortChannel(port1), far, echo(far)));
  },
  notReading: () => {
    const { port1, port2 } = new MessageChannel();
    return Promise.resolve(rigOf(messagePortChannel(port1), messagePortChannel(port2), never));
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
    return Promise.resolve(rigOf(channelFromStream(streamFromChannel(near)), far, never));
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

export const rigKinds: readonly RigKind[] = [
  memory,
  stream,
  bytes,
  ...tcpAndUnix,
  child,
  web,
  tap,
  port,
  ...webSockets,
];

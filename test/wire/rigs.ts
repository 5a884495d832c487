// One kind of channel each, with a far side that can be told what to do.
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

export interface Rig {
  readonly channel: Channel;
  /** The far side sends these. */
  readonly say: (...lines: readonly string[]) => void;
  /** The far side goes away, after everything it said. */
  readonly leave: () => void;
  /** How `closed` names that. */
  readonly leaving: "ended" | "exited";
}

export interface RigKind {
  readonly name: string;
  /** The far side sends back every line it hears. */
  echoing(): Promise<Rig>;
  /** The far side never reads. */
  deaf(): Promise<Rig>;
}

const memory: RigKind = {
  name: "memory pair",
  echoing: () => {
    const [channel, far] = memoryPair();
    far.open((line) => void far.send(line));
    return Promise.resolve(rigOf(channel, far));
  },
  deaf: () => {
    const [channel, far] = memoryPair();
    return Promise.resolve(rigOf(channel, far));
  },
};

function rigOf(channel: Channel, far: Channel): Rig {
  return {
    channel,
    say: (...lines) => lines.forEach((line) => void far.send(line)),
    leave: () => void far.close(),
    leaving: "ended",
  };
}

/** Two ends of a real socket: what one wrote before it went away can still be read by the other. */
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

const stream: RigKind = {
  name: "pair of Node streams",
  echoing: async () => {
    const [near, socket] = await sockets();
    const far = new StreamChannel(socket, socket);
    far.open((line) => void far.send(line));
    return rigOf(new StreamChannel(near, near), far);
  },
  deaf: async () => {
    const [near, socket] = await sockets();
    return {
      channel: new StreamChannel(near, near),
      say: (...lines) => lines.forEach((line) => socket.write(`${line}\n`)),
      leave: () => socket.destroy(),
      leaving: "ended",
    };
  },
};

const stages = { eofMs: 50, termMs: 50 };
const ECHO =
  'while IFS= read -r line; do [ "$line" = leave ] && exit 0; printf "%s\\n" "$line"; done';

const child: RigKind = {
  name: "process",
  echoing: async () => {
    const channel = await openProcess({ command: "sh", args: ["-c", ECHO], stages });
    return {
      channel,
      say: (...lines) => lines.forEach((line) => void channel.send(line)),
      leave: () => void channel.send("leave"),
      leaving: "exited",
    };
  },
  deaf: async () => {
    const channel = await openProcess({ command: "sleep", args: ["1000"], stages });
    return {
      channel,
      say: () => {},
      leave: () => process.kill(channel.pid, "SIGKILL"),
      leaving: "exited",
    };
  },
};

/** Messages here are JSON, so the lines of the shared suite are too. */
const web: RigKind = {
  name: "web stream",
  echoing: () => {
    const [near, far] = memoryPair();
    far.open((line) => void far.send(line));
    return Promise.resolve(rigOf(channelFromStream(streamFromChannel(near)), far));
  },
  deaf: () => {
    const [near, far] = memoryPair();
    return Promise.resolve(rigOf(channelFromStream(streamFromChannel(near)), far));
  },
};

const tap: RigKind = {
  name: "tapped channel",
  echoing: async () => observed(await memory.echoing()),
  deaf: async () => observed(await memory.deaf()),
};

function observed(rig: Rig): Rig {
  return { ...rig, channel: tapped(rig.channel, () => {}) };
}

export const rigKinds: readonly RigKind[] = [memory, stream, child, web, tap];

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { deferred } from "../../../src/base/index.ts";

/** The executable; undefined if it is not installed. Debian puts it where only root looks. */
export const natsServer: string | undefined = [
  ...(process.env["PATH"] ?? "").split(delimiter),
  "/usr/sbin",
]
  .map((folder) => join(folder, "nats-server"))
  .find((file) => existsSync(file));

/** The title of a suite that needs the executable. */
export function needsNats(title: string): string {
  return natsServer === undefined ? `${title} (skipped: nats-server is not installed)` : title;
}

/** A running server. */
interface NatsNode {
  readonly url: string;
  readonly name: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again, with the same data. */
  restart(): Promise<void>;
}

/** One or more servers, with their data in a scratch folder. */
export interface NatsServers {
  readonly urls: readonly string[];
  readonly nodes: readonly NatsNode[];
  close(): Promise<void>;
}

/** Starts a server, or a cluster of several, on the loopback address. `config` is added to each server's. */
export async function startNats(count = 1, config = ""): Promise<NatsServers> {
  if (natsServer === undefined) throw new Error("nats-server is not installed");
  const folder = mkdtempSync(join(tmpdir(), "dragoman-nats-"));
  const ports = await freePorts(count * 2);
  const routes = ports.slice(count).map((port) => `nats://127.0.0.1:${port}`);
  const nodes = Array.from({ length: count }, (_, index) => {
    const name = `n${index + 1}`;
    const data = join(folder, name);
    mkdirSync(data);
    const cluster =
      count === 1
        ? ""
        : `cluster { name: test, listen: "127.0.0.1:${ports[count + index]}", routes: ${JSON.stringify(routes)} }\n`;
    const file = join(folder, `${name}.conf`);
    writeFileSync(
      file,
      `server_name: ${name}\nlisten: "127.0.0.1:${ports[index]}"\njetstream { store_dir: ${JSON.stringify(data)} }\n${cluster}${config}\n`,
    );
    return new Node(name, file, `nats://127.0.0.1:${ports[index]}`);
  });
  await Promise.all(nodes.map((node) => node.restart()));
  return {
    nodes,
    urls: nodes.map(({ url }) => url),
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

class Node implements NatsNode {
  readonly name: string;
  readonly url: string;
  readonly #file: string;
  #child: ChildProcess | undefined;

  constructor(name: string, file: string, url: string) {
    this.name = name;
    this.url = url;
    this.#file = file;
  }

  async restart(): Promise<void> {
    const child = spawn(natsServer ?? "", ["-c", this.#file], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    const end = (): void => void child.kill("SIGKILL");
    process.once("exit", end);
    child.once("exit", () => process.off("exit", end));
    const ready = deferred();
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes("Server is ready")) ready.resolve();
      if (lines.length < 50) lines.push(line);
    });
    child.once("exit", () => ready.reject(new Error(`nats-server ended: ${lines.join("\n")}`)));
    await ready.promise;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = deferred();
    child.once("exit", () => ended.resolve());
    child.kill("SIGKILL");
    await ended.promise;
  }
}

/** Ports that are free now, all different. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      const listening = deferred();
      server.listen(0, "127.0.0.1", () => listening.resolve());
      await listening.promise;
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      const closed = deferred();
      server.close(() => closed.resolve());
      await closed.promise;
      return typeof address === "object" && address ? address.port : 0;
    }),
  );
}

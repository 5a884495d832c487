import { usageError } from "../shell/exit.ts";

/** Where `serve` listens. Without a host: on the loopback addresses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const DEFAULT_PORT = 8790;
const MAX_PORT = 65_535;

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `PORT`. Throws a usage error. Pure. */
export function parseListen(text: string | undefined): ListenAddress {
  if (text === undefined) return { host: undefined, port: DEFAULT_PORT };
  const match = /^(?:(?:\[([\da-f:.]+)\]|([^:[\]\s/]+)):)?(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > MAX_PORT) {
    throw usageError(
      `--listen "${text}" is not HOST:PORT`,
      "--listen 127.0.0.1:8790, --listen [::1]:8790 or --listen 0.0.0.0:8790",
    );
  }
  return { host: match[1] ?? match[2], port };
}

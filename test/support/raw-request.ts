// Requests as bytes on a socket. HTTP clients rewrite the target of a request before they send it.
import { connect } from "node:net";

export interface RawAnswer {
  /** Undefined if the connection was closed without an answer. */
  readonly status: number | undefined;
  readonly text: string;
}

/**
 * Sends a request line and header lines to the loopback address, and resolves with everything up to the end
 * of the connection.
 */
export function sendRaw(
  port: number,
  requestLine: string,
  headers: readonly string[] = [],
  host = `127.0.0.1:${port}`,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
    socket.on("error", reject);
    socket.on("close", () => {
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      resolve({ status: status === undefined ? undefined : Number(status), text });
    });
    socket.write([requestLine, `Host: ${host}`, ...headers, "", ""].join("\r\n"));
  });
}

/** Headers that end the connection after the answer, and those that also ask for a WebSocket. */
export const CONNECTION_HEADERS = {
  plain: ["Connection: close", "Content-Length: 0"],
  upgrade: [
    "Connection: Upgrade, close",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ],
} as const;

/** Targets that some parser reads as a path, such as `/api/sessions`, although they are written differently. */
export function spellingsOf(path: string): readonly string[] {
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/.exec(path) ?? [];
  const coded = `%${first.charCodeAt(0).toString(16)}${first.slice(1)}`;
  return [
    `/.${path}`,
    `/./.${path}`,
    `/x/..${path}`,
    `/../..${path}`,
    `//x${path}`,
    `//127.0.0.1${path}`,
    `/%2e${path}`,
    `/%2E/%2e${path}`,
    `/x/%2e%2e${path}`,
    `/x/.%2E${path}`,
    `/.\\${path.slice(1)}`,
    `\\${path.slice(1)}`,
    `/\\x${path}`,
    `/x/..\\${path.slice(1)}`,
    `/${coded}${rest}`,
    `/%252e${path}`,
    `/%2f${path.slice(1)}`,
    `/${path}`,
    `${path}/.`,
    `${path}/`,
    `${path}/x/..`,
    `${path};x`,
    `${path}%00`,
    `${path}%20`,
    `${path}%3f`,
    path.toUpperCase(),
    path.slice(1),
    `./${path}`,
    `http://evil.example${path}`,
    `http://127.0.0.1${path}`,
    `HTTP:${path}`,
    `http:/.${path}`,
    `//evil.example@127.0.0.1${path}`,
    `?${path}`,
    `#${path}`,
    `*`,
  ];
}

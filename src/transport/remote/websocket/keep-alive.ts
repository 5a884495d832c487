/** How often a connection is checked, as the servers of other vendors do it. */
export const PING_MS = 15_000;

/** The part of a `ws` socket that a check needs. */
export interface PingableSocket {
  readonly readyState: number;
  ping(): void;
  terminate(): void;
  on(event: "pong" | "message" | "close", listener: () => void): unknown;
}

const OPEN = 1;

/**
 * Sends a ping at each interval and ends the connection if neither an answer nor a message came since
 * the last one. `isMoving` may report another sign of life, such as data that the other side still
 * takes. The timer does not keep a process alive.
 */
export function keepAlive(
  socket: PingableSocket,
  ms: number,
  isMoving: () => boolean = () => false,
): void {
  let isAlive = true;
  const heard = (): void => {
    isAlive = true;
  };
  const timer = setInterval(() => {
    if (socket.readyState !== OPEN) return;
    if (!isMoving() && !isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, ms);
  timer.unref();
  socket.on("pong", heard);
  socket.on("message", heard);
  socket.on("close", () => clearInterval(timer));
}

// A client of a server, over WebSocket.
import { once } from "node:events";
import { WebSocket } from "ws";

/** Connects to a server. `heard` gets every message that answers nothing. */
export async function connectSocket(url, token, heard = () => {}) {
  const headers = { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  await once(socket, "open");
  const waiting = new Map();
  socket.on("message", (data) => {
    const message = JSON.parse(data);
    if (message.method !== undefined) return heard(message);
    return waiting.get(message.id)?.(message);
  });
  socket.on("error", () => {});
  let ids = 0;
  const send = (message) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const call = (method, params) => {
    const id = ++ids;
    send({ id, method, params });
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ result, error }) =>
        error ? reject(new Error(error.message)) : resolve(result),
      );
    });
  };
  return { call, notify: (method, params) => send({ method, params }), socket };
}

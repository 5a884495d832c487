import { readFileSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import type { InspectServer } from "../../../../src/apps/inspector/index.ts";

/** A page with the marks and hashes that the build gives it. */
export const PAGE = readFileSync(
  new URL("../../../support/inspect-page.txt", import.meta.url),
  "utf8",
);

/** A line with a piece of the agent's message. */
export function messageLine(messageId: string, text: string): string {
  const content = { type: "text", text };
  const update = { sessionUpdate: "agent_message_chunk", messageId, content };
  const params = { sessionId: "s", update };
  return JSON.stringify({ jsonrpc: "2.0", method: "session/update", params });
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The token of a server. */
export function tokenOf({ url }: Pick<InspectServer, "url">): string {
  return /#token=(.+)$/.exec(url)?.[1] ?? "";
}

/** The headers that the page sends. */
export function pageHeaders(server: InspectServer): Record<string, string> {
  return { authorization: `Bearer ${tokenOf(server)}`, "sec-fetch-site": "same-origin" };
}

/** Sends a request with exactly these headers, which `fetch` would not allow. */
export function send(
  { port }: Pick<InspectServer, "port">,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const host = headers["host"] ?? `127.0.0.1:${port}`;
    const all = { ...headers, host };
    const sent = request({ host: "127.0.0.1", port, path, method, headers: all, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.end();
  });
}

import { expect } from "vitest";
import { parseRecording, type Recording } from "../../../../../src/transport/wire/index.ts";
import { send } from "../../../inspector/server/http.ts";

/** The port of a page and the headers that it needs, from the stderr of its process. */
export function pageAddress(err: string) {
  const [, port = "", token = ""] = /:(\d+)\/#token=([\w-]+)/.exec(err) ?? [];
  return { port: Number(port), headers: { authorization: `Bearer ${token}` } };
}

/** The recording that the page of a process shows. Waits for the address on its stderr. */
export async function shown(err: () => string): Promise<(entries: number) => Promise<Recording>> {
  await expect.poll(err, { timeout: 20_000 }).toMatch(/#token=[\w-]{43}/);
  const { port, headers } = pageAddress(err());
  const entries = async (): Promise<number> =>
    JSON.parse((await send({ port }, "/api/sessions", headers)).text).sessions[0]?.entries ?? 0;
  return async (count) => {
    await expect.poll(entries, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
    // The response stays open, so only a part of it is read.
    const path = `http://127.0.0.1:${port}/api/recording?session=1`;
    const { body } = await fetch(path, { headers });
    let text = "";
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.split("\n").length > count + 1) break;
    }
    return parseRecording(text);
  };
}

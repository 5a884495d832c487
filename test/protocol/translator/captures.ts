import { readdirSync, readFileSync } from "node:fs";
import { isJsonObject, type JsonObject } from "../../../src/base/index.ts";

const folder = new URL("../../transcripts/acp-v2/", import.meta.url);

export interface CapturedFrame {
  readonly from: "client" | "agent";
  readonly frame: JsonObject;
}

/** The connections that the SDK, Claude and Codex had with a v2 client. */
export const captures = readdirSync(folder)
  .map((file) => file.replace(/\.jsonl$/, ""))
  .toSorted();

/** The captures of sessions: the others show only `initialize`, or requests that are refused. */
export const sessionCaptures = captures.filter(
  (name) => !name.startsWith("init-") && name !== "agent-rejections",
);

/** The frames of a capture, in order. Batches, which are not frames, are left out. */
export function capturedFrames(name: string): readonly CapturedFrame[] {
  return readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line): CapturedFrame[] => {
      const entry: unknown = JSON.parse(line);
      if (!isJsonObject(entry) || !isJsonObject(entry["frame"])) return [];
      return [{ from: entry["dir"] === "c2a" ? "client" : "agent", frame: entry["frame"] }];
    });
}

/** The frame that a v1 client would have sent instead of a frame of the v2 client. */
export function asV1Client(frame: JsonObject): JsonObject {
  const { method } = frame;
  const params = isJsonObject(frame["params"]) ? frame["params"] : {};
  switch (method) {
    case "initialize": {
      const { info, capabilities } = params;
      const clientCapabilities = isJsonObject(capabilities) ? capabilities : {};
      return {
        ...frame,
        params: { protocolVersion: 1, clientInfo: info, clientCapabilities },
      };
    }
    case "auth/login":
      return { ...frame, method: "authenticate" };
    case "auth/logout":
      return { ...frame, method: "logout" };
    case "session/new":
      return { ...frame, params: { mcpServers: [], ...params } };
    case "session/resume": {
      const { replayFrom, ...rest } = params;
      const isLoad = isJsonObject(replayFrom);
      const v1 = isLoad ? "session/load" : "session/resume";
      return { ...frame, method: v1, params: { mcpServers: [], ...rest } };
    }
    case "session/set_config_option": {
      const { type, ...rest } = params;
      return { ...frame, params: type === "boolean" ? params : rest };
    }
    default:
      return frame;
  }
}

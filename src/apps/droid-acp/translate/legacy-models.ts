import { decodeLine, isJsonObject } from "../../../base/index.ts";
import type { Channel, CloseReason } from "../../../transport/wire/index.ts";
import { MODEL_OPTION } from "../session/config.ts";

const SET_MODEL = "session/set_model";

/**
 * Translates a method that ACP has dropped into its successor: clients from 2025 choose a model with
 * `session/set_model`. Returns any other line unchanged. Pure.
 */
export function translateLegacyModel(line: string): string {
  if (!line.includes(SET_MODEL)) return line;
  const decoded = decodeLine(line);
  if (decoded.kind !== "frame" || decoded.frame["method"] !== SET_MODEL) return line;
  const given = decoded.frame["params"];
  const { modelId: value, ...params } = isJsonObject(given) ? given : {};
  return JSON.stringify({
    ...decoded.frame,
    method: "session/set_config_option",
    params: { ...params, configId: MODEL_OPTION, value },
  });
}

export function withLegacyModels(channel: Channel): Channel {
  return {
    open: (receive) => channel.open((line) => receive(translateLegacyModel(line))),
    send: (line) => channel.send(line),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: () => channel.close(),
    get closed(): Promise<CloseReason> {
      return channel.closed;
    },
  };
}

import {
  asksForV2,
  type ProtocolVersion,
  translator,
  type VersionTranslator,
} from "../../../protocol/translator/index.ts";
import { isJsonObject, parseFrame } from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";
import {
  type LineTranslation,
  TranslatedChannel,
  type TranslatedLines,
  translateLine,
} from "./channel.ts";

/**
 * A channel to a client, over which this side always speaks one version of ACP. The client speaks the
 * version that its `initialize` asks for. If it is the same one, all lines pass unchanged.
 */
export function translatedClient(channel: Channel, version: ProtocolVersion): Channel {
  return new TranslatedChannel(channel, new ClientTranslation(version));
}

class ClientTranslation implements LineTranslation {
  readonly #version: ProtocolVersion;
  #translator: VersionTranslator | undefined;

  constructor(version: ProtocolVersion) {
    this.#version = version;
  }

  received(line: string): TranslatedLines {
    if (!this.#translator && line.includes("initialize")) this.#begin(line);
    return translateLine(line, "client", this.#translator);
  }

  sent(line: string): TranslatedLines {
    return translateLine(line, "agent", this.#translator);
  }

  #begin(line: string): void {
    const frame = parseFrame(line);
    const params = frame?.["params"];
    if (frame?.["method"] !== "initialize" || !isJsonObject(params)) return;
    const client = asksForV2(params) ? 2 : 1;
    if (client !== this.#version) this.#translator = translator({ client, agent: this.#version });
  }
}

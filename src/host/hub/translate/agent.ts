import type { ProtocolChoice } from "../../../client/index.ts";
import {
  asksForV2,
  bothForms,
  initializeParamsToV1,
  isV2Result,
  type ProtocolVersion,
  supportedVersions,
  translator,
  UNSUPPORTED_VERSION,
  type VersionTranslator,
} from "../../../protocol/translator/index.ts";
import { isJsonObject, type JsonObject, parseFrame } from "../../../base/index.ts";
import type { Channel } from "../../../transport/wire/index.ts";
import {
  type LineTranslation,
  TranslatedChannel,
  type TranslatedLines,
  translateLine,
  unchanged,
} from "./channel.ts";

/**
 * A channel to an agent that speaks this version of ACP with the agent, in the version that the client
 * asks for. With `newest`, it asks the agent for version 2 and accepts version 1. If the agent does not
 * speak the version, `initialize` is answered with -32022. If both speak the same version, all lines pass
 * unchanged.
 */
export function translatedAgent(channel: Channel, protocol: ProtocolChoice): Channel {
  return new TranslatedChannel(channel, new AgentTranslation(protocol));
}

/** An `initialize` of the client that the agent has not answered. */
interface Asked {
  readonly line: string;
  readonly frame: JsonObject;
  readonly params: JsonObject;
  readonly client: ProtocolVersion;
  /** The version that the agent was asked for. */
  readonly agent: ProtocolVersion;
}

class AgentTranslation implements LineTranslation {
  readonly #protocol: ProtocolChoice;
  #asked: Asked | undefined;
  /** Translates between the sides; undefined if they speak the same version, or before `initialize`. */
  #translator: VersionTranslator | undefined;

  constructor(protocol: ProtocolChoice) {
    this.#protocol = protocol;
  }

  sent(line: string): TranslatedLines {
    if (this.#translator) return translateLine(line, "client", this.#translator);
    if (!line.includes("initialize")) return unchanged(line);
    const frame = parseFrame(line);
    const params = frame?.["params"];
    if (!frame || frame["method"] !== "initialize" || !isJsonObject(params)) return unchanged(line);
    const client = asksForV2(params) ? 2 : 1;
    const agent = this.#protocol === "newest" ? 2 : this.#protocol;
    return { on: [this.#ask({ line, frame, params, client, agent })], back: [] };
  }

  received(line: string): TranslatedLines {
    const asked = this.#asked;
    if (asked) {
      const frame = parseFrame(line);
      const isAnswer = frame && frame["method"] === undefined && frame["id"] === asked.frame["id"];
      if (isAnswer) return this.#answered(asked, frame, line);
    }
    return translateLine(line, "agent", this.#translator);
  }

  /** The `initialize` for the agent. */
  #ask(asked: Asked): string {
    const { client, agent, frame, params, line } = asked;
    this.#asked = asked;
    this.#translator = client === agent ? undefined : translator({ client, agent });
    const [translated = frame] = this.#translator?.fromClient(frame).toAgent ?? [];
    if (this.#protocol === "newest" && agent === 2) {
      return JSON.stringify({ ...translated, params: inBothForms(client, params) });
    }
    return translated === frame ? line : JSON.stringify(translated);
  }

  #answered(asked: Asked, frame: JsonObject, line: string): TranslatedLines {
    const { result } = frame;
    this.#asked = undefined;
    if (result === undefined) {
      const isOlder = supportedVersions(frame["error"])?.includes(1) === true;
      if (isOlder && this.#mayAskForV1(asked)) return this.#askForV1(asked);
      this.#translator = undefined;
      return unchanged(line);
    }
    const offered = isV2Result(result) ? 2 : 1;
    if (offered === asked.agent) return translateLine(line, "agent", this.#translator);
    if (this.#mayAskForV1(asked)) return this.#askForV1(asked);
    this.#translator = undefined;
    return { on: [refusal(frame, offered, asked.agent)], back: [] };
  }

  #mayAskForV1({ agent }: Asked): boolean {
    return this.#protocol === "newest" && agent === 2;
  }

  /** The agent may have read only the fields of version 2, so it gets `initialize` in its own form. */
  #askForV1(asked: Asked): TranslatedLines {
    return { on: [], back: [this.#ask({ ...asked, agent: 1 })] };
  }
}

function inBothForms(client: ProtocolVersion, params: JsonObject): JsonObject {
  return client === 1 ? bothForms(params) : { ...initializeParamsToV1(params), ...params };
}

function refusal(frame: JsonObject, offered: ProtocolVersion, asked: ProtocolVersion): string {
  const message = `the agent speaks version ${offered} of the protocol, and it was asked for version ${asked}`;
  const error = { code: UNSUPPORTED_VERSION, message, data: { supported: [offered] } };
  return JSON.stringify({ jsonrpc: "2.0", id: frame["id"], error });
}

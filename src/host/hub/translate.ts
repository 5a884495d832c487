import type { ProtocolChoice } from "../../client/index.ts";
import {
  asksForV2,
  initializeParamsToBoth,
  initializeParamsToV1,
  isV2InitializeResult,
  type ProtocolVersion,
  initializeErrorVersions,
  translator,
  UNSUPPORTED_VERSION,
  type VersionTranslator,
} from "../../protocol/translator/index.ts";
import {
  isJsonObject,
  type JsonObject,
  parseJsonObject,
  callSafely,
  immediately,
  quietly,
} from "../../base/index.ts";
import type { Channel, CloseReason } from "../../transport/wire/index.ts";
import { processIdOf } from "./outlet.ts";

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
    const frame = parseJsonObject(line);
    const params = frame?.["params"];
    if (!frame || frame["method"] !== "initialize" || !isJsonObject(params)) return unchanged(line);
    const client = asksForV2(params) ? 2 : 1;
    const agent = this.#protocol === "newest" ? 2 : this.#protocol;
    return { on: [this.#ask({ line, frame, params, client, agent })], back: [] };
  }

  received(line: string): TranslatedLines {
    const asked = this.#asked;
    if (asked) {
      const frame = parseJsonObject(line);
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
      const isOlder = initializeErrorVersions(frame["error"])?.includes(1) === true;
      if (isOlder && this.#mayAskForV1(asked)) return this.#askForV1(asked);
      this.#translator = undefined;
      return unchanged(line);
    }
    const offered = isV2InitializeResult(result) ? 2 : 1;
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
  return client === 1
    ? initializeParamsToBoth(params)
    : { ...initializeParamsToV1(params), ...params };
}

function refusal(frame: JsonObject, offered: ProtocolVersion, asked: ProtocolVersion): string {
  const message = `the agent speaks version ${offered} of the protocol, and it was asked for version ${asked}`;
  const error = { code: UNSUPPORTED_VERSION, message, data: { supported: [offered] } };
  return JSON.stringify({ jsonrpc: "2.0", id: frame["id"], error });
}

/** A channel to a client of any version, over which this side always speaks this one. */
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
    const frame = parseJsonObject(line);
    const params = frame?.["params"];
    if (frame?.["method"] !== "initialize" || !isJsonObject(params)) return;
    const client = asksForV2(params) ? 2 : 1;
    if (client !== this.#version) this.#translator = translator({ client, agent: this.#version });
  }
}

/** The lines that one line becomes: those that go on, and those that go back to where it came from. */
interface TranslatedLines {
  readonly on: readonly string[];
  readonly back: readonly string[];
}

/** Translates the lines of one connection. Neither function throws. */
interface LineTranslation {
  sent(line: string): TranslatedLines;
  received(line: string): TranslatedLines;
}

function unchanged(line: string): TranslatedLines {
  return { on: [line], back: [] };
}

/** Translates a line. A frame that needs no change keeps its text, and so do other lines. */
function translateLine(
  line: string,
  from: "client" | "agent",
  translator: VersionTranslator | undefined,
): TranslatedLines {
  const frame = translator && parseJsonObject(line);
  if (!frame) return unchanged(line);
  const fromClient = from === "client";
  const translated = attempt(() =>
    fromClient ? translator.fromClient(frame) : translator.fromAgent(frame),
  );
  // A message that makes no sense in the other version, such as a tool call whose id is an object.
  if (!translated) return { on: [], back: [] };
  const { toAgent, toClient } = translated;
  const text = (message: JsonObject): string =>
    message === frame ? line : JSON.stringify(message);
  const [on, back] = fromClient ? [toAgent, toClient] : [toClient, toAgent];
  return { on: on.map(text), back: back.map(text) };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** A channel whose lines are translated in both directions, in order. */
class TranslatedChannel implements Channel {
  readonly closed: Promise<CloseReason>;
  /** The id of the process behind the channel; undefined if there is none. */
  readonly pid: number | undefined;
  readonly #channel: Channel;
  readonly #translation: LineTranslation;
  #receive: ((line: string) => void) | undefined;
  /** Lines for this side that wait, because an answer on the way must not arrive during `send`. */
  #waiting: string[] = [];
  /** How many answers the other side has not taken. Nothing is read from it meanwhile. */
  #untaken = 0;
  #isPaused = false;

  constructor(channel: Channel, translation: LineTranslation) {
    this.#channel = channel;
    this.#translation = translation;
    this.pid = processIdOf(channel);
    this.closed = channel.closed.then((reason) => {
      callSafely(() => this.#deliverWaiting());
      return reason;
    });
  }

  open(receive: (line: string) => void): void {
    this.#channel.open((line) => {
      const { on, back } = this.#translation.received(line);
      if (back.length > 0) void this.#answer(back);
      for (const translated of on) {
        if (this.#waiting.length === 0) receive(translated);
        else this.#waiting.push(translated);
      }
    });
    this.#receive = receive;
    this.#deliverWaiting();
  }

  send(line: string): Promise<void> {
    const { on, back } = this.#translation.sent(line);
    if (back.length > 0) {
      if (this.#waiting.length === 0) immediately(() => this.#deliverWaiting());
      this.#waiting.push(...back);
    }
    return quietly(() => this.#sendAll(on));
  }

  pause(): void {
    this.#isPaused = true;
    this.#channel.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#untaken === 0) this.#channel.resume();
  }

  close(): Promise<CloseReason> {
    return this.#channel.close();
  }

  async #sendAll(lines: readonly string[]): Promise<void> {
    await Promise.all(lines.map((line) => this.#channel.send(line)));
  }

  /** Answers the other side, which may ask for more only once it has taken the answers. */
  async #answer(lines: readonly string[]): Promise<void> {
    this.#untaken++;
    this.#channel.pause();
    await this.#sendAll(lines).catch(() => {});
    this.#untaken--;
    if (this.#untaken === 0 && !this.#isPaused) this.#channel.resume();
  }

  #deliverWaiting(): void {
    if (!this.#receive) return;
    // A line that arrives meanwhile is added to the end.
    for (let line = this.#waiting[0]; line !== undefined; line = this.#waiting[0]) {
      this.#receive(line);
      this.#waiting.shift();
    }
  }
}

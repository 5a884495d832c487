import { type CommandLine, joinCommandLine } from "../../../base/index.ts";
import { connectRemote, type ConnectRemoteOptions } from "../../../transport/remote/index.ts";
import { type Channel, type CloseReason, describeClose } from "../../../transport/wire/index.ts";
import type { ModelRecipe, ModelSetup } from "../../scripted-model/index.ts";
import { startProcessTransport } from "../harness/process-transport.ts";
import { InputBudget, WROTE_TOO_MUCH } from "../harness/raw-lines.ts";
import type { Transport, TransportEnd } from "../harness/transport.ts";
import type { ScratchPlace } from "./home.ts";

export interface StartPlace {
  readonly place: ScratchPlace;
  /** The address of the scripted model; undefined if the case has none. */
  readonly modelUrl?: string | undefined;
  /** The folder that the process starts in. Default: the home. */
  readonly cwd?: string | undefined;
  /** Variables in addition to those that every subject gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export interface AgentSubject {
  /** A name for the report, until the agent states its own. */
  readonly name: string;
  /** The command line or address, for people. */
  readonly command: string;
  /** True if this run starts its processes. */
  readonly isLocal: boolean;
  /** True if it can be made to use the scripted model. */
  readonly hasModel: boolean;
  /** How it uses the scripted model, if the catalogue knows it. */
  readonly recipe?: ModelRecipe | undefined;
  /** Connects. Rejects with a SpawnError or a ConnectError. */
  connect(start: StartPlace): Promise<Transport>;
}

export interface CommandSubjectOptions extends Pick<CommandLine, "command" | "args"> {
  /** Default: the command. */
  readonly name?: string | undefined;
  /** The folder that the process starts in. Default: the scratch home. */
  readonly cwd?: string | undefined;
  /** Variables in addition to those that every subject gets. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Connects the agent with the scripted model. */
  readonly recipe?: ModelRecipe | undefined;
  /** Variables with the address of the scripted model, where `{url}` stands for it. */
  readonly modelEnv?: Readonly<Record<string, string>> | undefined;
}

/** Used by agents that need some address of a model to start; it refuses every connection. */
const NO_MODEL_URL = "http://127.0.0.1:9";

/** A subject that every connection starts anew. */
export function commandSubject(options: CommandSubjectOptions): AgentSubject {
  const { command, args = [], recipe, modelEnv = {} } = options;
  return {
    name: options.name ?? command,
    command: joinCommandLine([command, ...args]),
    isLocal: true,
    hasModel: recipe !== undefined || Object.keys(modelEnv).length > 0,
    recipe,
    connect: async ({ place, modelUrl = NO_MODEL_URL, cwd = options.cwd ?? place.home, env }) => {
      const setup: ModelSetup = recipe?.setUp({ home: place.home, modelUrl }) ?? { env: {} };
      await place.write(setup.files ?? {});
      const addresses = Object.entries(modelEnv).map(([name, template]) => [
        name,
        template.replaceAll("{url}", modelUrl),
      ]);
      return startProcessTransport({
        command,
        args: [...args, ...(setup.args ?? [])],
        cwd,
        env: {
          ...place.env(),
          ...options.env,
          ...setup.env,
          ...Object.fromEntries(addresses),
          ...env,
        },
      });
    },
  };
}

/** An agent behind an address. It is not started by the run, so cases about processes are skipped. */
export function remoteSubject(url: string, options: ConnectRemoteOptions = {}): AgentSubject {
  return {
    name: url,
    command: url,
    isLocal: false,
    hasModel: false,
    connect: async () => channelTransport(await connectRemote(url, options)),
  };
}

/** Lines over a channel. Bytes that are not whole lines are collected until they are. */
function channelTransport(channel: Channel): Transport {
  let rest = "";
  const decoder = new TextDecoder();
  const budget = new InputBudget();
  return {
    open: (receive) =>
      channel.open((text) => {
        if (budget.take(text.length, 1)) receive({ text, isNotUtf8: false });
        else void channel.close();
      }),
    write: async (bytes) => {
      const text = typeof bytes === "string" ? bytes : decoder.decode(bytes, { stream: true });
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") await channel.send(line).catch(() => {});
    },
    process: undefined,
    ended: channel.closed.then((reason) =>
      budget.isSpent ? { how: WROTE_TOO_MUCH } : endOf(reason),
    ),
    stderr: () => "",
    stderrBytes: () => 0,
    end: async () => {
      await channel.close();
    },
  };
}

function endOf(reason: CloseReason): TransportEnd {
  const error = reason.kind === "failed" ? reason.error : undefined;
  return { how: `cannot be reached: ${describeClose(reason)}`, error };
}

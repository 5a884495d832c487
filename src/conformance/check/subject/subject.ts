import type { ModelRecipe } from "../../model/index.ts";
import type { Transport } from "../harness/transport.ts";
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

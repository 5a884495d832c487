import type { AuditEntry } from "../../../host/hub/index.ts";
import { type Channel, type Recorder, tapped } from "../../../transport/wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import { pacedChannel } from "../shell/backpressure.ts";
import { recordEnd, runRecorder } from "../connect/recording.ts";
import { secretHider } from "../connect/secrets.ts";
import { decisionOf } from "../connect/proxy-recording.ts";
import type { Context } from "../context/context.ts";

type GetText = (text: string) => void;

/** The agents of a server on the page of `--inspect`: a session for each of their processes. */
export class InspectedAgents {
  readonly #context: Context;
  /** How many processes each agent has had, and the recorder of its last one. */
  readonly #started = new Map<string, number>();
  readonly #recorders = new Map<string, Recorder>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** Opens an agent. With `--inspect`, the page shows its messages, its stderr and its end. */
  async open(
    agent: SelectedAgent,
    stderr: GetText,
    open: (stderr: GetText) => Promise<Channel>,
  ): Promise<Channel> {
    const { inspector, cwd } = this.#context;
    if (!inspector) return open(stderr);
    const { name } = agent;
    const number = (this.#started.get(name) ?? 0) + 1;
    this.#started.set(name, number);
    const file = inspector.file(number === 1 ? name : `${name}, process ${number}`);
    const { keepSecrets } = inspector;
    const secrets = secretHider(agent, []);
    const record = runRecorder(file, { agent, client: undefined, cwd, secrets, keepSecrets });
    this.#recorders.set(name, record);
    try {
      const channel = await open((text) => {
        stderr(text);
        record.stderr(text);
      });
      void channel.closed.then(async (reason) => {
        recordEnd(record, reason);
        await file.end();
      });
      return pacedChannel(tapped(channel, record), [file]);
    } catch (error) {
      await file.end();
      throw error;
    }
  }

  /** Adds a decision about a request of an agent to the session of its process. */
  decision(entry: AuditEntry): void {
    this.#recorders.get(entry.agent)?.permission(decisionOf(entry));
  }
}

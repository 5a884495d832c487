import { type Channel, tapped } from "../../wire/index.ts";
import type { SelectedAgent } from "../agents/select.ts";
import { pacedChannel } from "../connect/paced-channel.ts";
import { recordEnd, runRecorder } from "../connect/recording.ts";
import { secretHider } from "../connect/secrets.ts";
import type { Context } from "../run/context.ts";

type GetText = (text: string) => void;

/**
 * Opens an agent of a server. With `--inspect`, the page shows its messages, its stderr and its end, as a
 * session for each of its processes.
 */
export async function inspectedAgent(
  { inspector, cwd }: Context,
  agent: SelectedAgent,
  stderr: GetText,
  open: (stderr: GetText) => Promise<Channel>,
): Promise<Channel> {
  if (!inspector) return open(stderr);
  const file = inspector.file(agent.name);
  const { keepSecrets } = inspector;
  const secrets = secretHider(agent, []);
  const record = runRecorder(file, { agent, client: undefined, cwd, secrets, keepSecrets });
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

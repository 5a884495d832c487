/** `dragoman demo-agent`: an agent on stdin and stdout that needs no model. */
import { serveAgent } from "../../agent/index.ts";
import { stdioChannel } from "../../transport/wire/index.ts";
import { demoAgent } from "./agent.ts";

/**
 * Serves the demo agent on this process's stdin and stdout until the client disconnects.
 * `DRAGOMAN_DEMO_AUTH=1` requires a sign-in, `--unstable` or `DRAGOMAN_DEMO_UNSTABLE=1` uses the parts of
 * ACP that are not stable, and `DRAGOMAN_DEMO_STATE` names a folder to save sessions in.
 */
export async function runDemoAgent(version: string, argv: readonly string[] = []): Promise<void> {
  const { env } = process;
  const stateFolder = env["DRAGOMAN_DEMO_STATE"];
  const channel = stdioChannel();
  const agent = demoAgent({
    version,
    requireAuth: env["DRAGOMAN_DEMO_AUTH"] === "1",
    unstable: argv.includes("--unstable") || env["DRAGOMAN_DEMO_UNSTABLE"] === "1",
    stateFolder: stateFolder === "" ? undefined : stateFolder,
    // Closing the channel flushes earlier messages, and drops the answer to the prompt.
    exit: (code) => void channel.close().then(() => process.exit(code)),
  });
  await serveAgent(channel, agent);
}

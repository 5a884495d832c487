/** `dragoman demo-agent`: an agent that needs no model, on stdin and stdout. */
import { serveAgent } from "../agent/index.ts";
import { stdioChannel } from "../wire/index.ts";
import { demoAgent } from "./agent.ts";

/**
 * Serves the demo agent on this process's stdin and stdout until the client goes away.
 * `DRAGOMAN_DEMO_AUTH=1` asks for a sign-in, `DRAGOMAN_DEMO_UNSTABLE=1` offers `session/fork`, and
 * `DRAGOMAN_DEMO_STATE` names a folder to keep sessions in.
 */
export async function runDemoAgent(version: string): Promise<void> {
  const { env } = process;
  const stateFolder = env["DRAGOMAN_DEMO_STATE"];
  const channel = stdioChannel();
  const agent = demoAgent({
    version,
    requireAuth: env["DRAGOMAN_DEMO_AUTH"] === "1",
    unstable: env["DRAGOMAN_DEMO_UNSTABLE"] === "1",
    stateFolder: stateFolder === "" ? undefined : stateFolder,
    // What was said before still goes out; the answer to the prompt no longer does.
    exit: (code) => void channel.close().then(() => process.exit(code)),
  });
  await serveAgent(channel, agent);
}

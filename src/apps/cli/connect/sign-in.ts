import {
  authMethod,
  isTerminalMethod,
  loginCommand,
  LoginError,
  runInTerminal,
} from "../../../client/index.ts";
import { CliError } from "../shell/exit.ts";
import type { RunningAgent } from "./running-agent.ts";
import type { Context } from "../context/context.ts";

/** Signs in with one of the agent's methods. Resolves with false if the agent must be restarted. */
export async function signIn(
  context: Context,
  { client, agent, secrets }: RunningAgent,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const method = authMethod(client.agent.authMethods, id);
  if (!isTerminalMethod(method)) {
    await client.authenticate(id, { signal });
    return true;
  }
  const { command, args, env, remote } = agent;
  if (remote) {
    const what = `the login "${id}" runs in a terminal on the machine of the agent`;
    throw new CliError("auth", { what, hint: "sign in there, or another --auth METHOD" });
  }
  const line = loginCommand({ command, args, env, cwd: context.cwd }, method);
  const words = secrets.hideAll([line.command, ...(line.args ?? [])].join(" "));
  const terminal = context.io.openTerminalStdio();
  if (terminal === undefined) {
    const what = `the login "${id}" needs a terminal, and there is none`;
    throw new CliError("auth", { what, hint: `${words} in a terminal` });
  }
  context.renderer.note(`running the login "${id}": ${words}`);
  // Dragoman must not print anything while the login uses the terminal.
  const release = context.screen.hold();
  try {
    const exit = await runInTerminal(line, { stdio: [...terminal.stdio], signal });
    // Ctrl-C reaches the login and Dragoman alike, and the login may die before Dragoman notices.
    if (exit.signal === "SIGINT") throw new CliError("interrupted", { what: "interrupted" });
    if (exit.code !== 0) throw new LoginError(id, exit);
  } finally {
    terminal.close();
    release();
  }
  return false;
}

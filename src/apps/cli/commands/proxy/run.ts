import { proxy, type ProxyEnd } from "../../../../host/hub/index.ts";
import { stdioChannel } from "../../../../transport/wire/index.ts";
import { chooseAgent, type Chosen } from "../../agents/choose.ts";
import { timeOption } from "../../shell/values.ts";
import { failureOf } from "../../connect/connect.ts";
import { Noise } from "../../connect/noise.ts";
import { secretHider } from "../../connect/secrets.ts";
import { CliError, EXIT, type ExitCode } from "../../shell/exit.ts";
import { openInspection } from "../../inspect/inspection.ts";
import type { Context } from "../../context/context.ts";
import { hubAgent } from "./agent.ts";
import {
  noteOf,
  joinRecordings,
  openRunRecording,
  proxyRecording,
} from "../../connect/proxy-recording.ts";
import { proxyRules } from "./rules.ts";

/** Runs the proxy until the editor leaves. Throws a CliError if the agent cannot be started or kept running. */
export async function runProxy(
  context: Context,
  commandLine: string | undefined,
): Promise<ExitCode> {
  const { io, values, interrupts, renderer } = context;
  const turnIdleMs = timeOption(values, "idle-timeout");
  const idleMs = timeOption(values, "agent-idle");
  const chosen = await chooseAgent(context, undefined, commandLine);
  const secrets = secretHider(chosen.agent, chosen.mcpServers);
  const { agent } = chosen;
  await openInspection(context, agent.name);
  const file = await openRunRecording(values.text("record-dir"), io);
  const { inspector } = context;
  const run = { agent, cwd: context.cwd, secrets };
  const page = inspector && {
    file: inspector.file(agent.name),
    keepSecrets: inspector.keepSecrets,
  };
  const recording = joinRecordings([
    ...(file ? [proxyRecording(file, run)] : []),
    ...(page ? [proxyRecording(page.file, { ...run, keepSecrets: page.keepSecrets })] : []),
  ]);
  const rules = await proxyRules(context, agent, recording).catch(async (error: unknown) => {
    await recording?.end();
    throw error;
  });
  const noise = new Noise(context, secrets, true);
  const stdio = stdioChannel();
  const running = proxy({
    ...rules.options,
    agent: hubAgent(context, chosen.agent, {
      stderr: (text) => {
        noise.stderr(text);
        recording?.stderr(text);
      },
      paced: recording === undefined ? [] : [recording],
    }),
    protocol: chosen.agent.protocol,
    channel: recording === undefined ? stdio : recording.tapped(stdio),
    limits: { turnIdleMs, idleMs, restWithClients: idleMs !== undefined },
    onEvent: (event) => {
      recording?.event(event);
      const note = noteOf(event);
      if (note !== undefined) renderer.note(secrets.hideAll(note));
    },
  });
  const stop = interrupts.listen({ first: () => void running.close() });
  const end = await running.ended;
  stop();
  noise.end();
  await Promise.all([recording?.end(), rules.close()]);
  const interrupted = interrupts.error();
  if (interrupted !== undefined) throw interrupted;
  return exitCode(context, chosen, end);
}

async function exitCode(
  context: Context,
  { agent, mcpServers }: Chosen,
  end: ProxyEnd,
): Promise<ExitCode> {
  if (end.kind === "closed") return EXIT.done;
  const parts = { agent, secrets: secretHider(agent, mcpServers) };
  const { details } = await failureOf(context, parts, "start", end.error);
  if (end.kind === "cannot_start") throw new CliError("cannotStart", details);
  const what = `${agent.name} failed too often and is not started again: ${details.what}`;
  throw new CliError("died", { ...details, what });
}

import type { Harness } from "../harness.ts";

export const CREATE = "terminal/create";

export interface Output {
  output: string;
  truncated: boolean;
  exitStatus?: { exitCode: number | null; signal: string | null };
}

export async function create(h: Harness, command: string, more: object = {}): Promise<string> {
  const { terminalId } = (await h.ask(CREATE, { command, ...more })) as { terminalId: string };
  return terminalId;
}

export const output = async (h: Harness, terminalId: string): Promise<Output> =>
  (await h.ask("terminal/output", { terminalId })) as Output;

import type { ParsedCommandLine } from "../../shell/parse.ts";
import { usageError, type ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { policyOf } from "../../permissions/from-flags.ts";
import { runCommand } from "../../connect/command.ts";

/** `dragoman attach [SESSION]`: joins a session that another client opened. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  const [id, ...more] = words;
  if (more.length > 0) throw usageError("attach takes one session");
  return runCommand(io, values, {
    ownResults: true,
    run: async (context) => {
      const policy = await policyOf(context);
      const { chooseSession } = await import("./choose.ts");
      const found = await chooseSession(context, id);
      if (found === undefined) return;
      const { AttachRun } = await import("./run.ts");
      await new AttachRun(context, found, policy).run();
    },
  });
}

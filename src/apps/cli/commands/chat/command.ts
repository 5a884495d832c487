import type { ParsedCommandLine } from "../../shell/parse.ts";
import type { ExitCode } from "../../shell/exit.ts";
import type { Io } from "../../shell/io.ts";
import { policyOf } from "../../permissions/policy.ts";
import { runCommand } from "../../connect/run-command.ts";
import { chooseAgent } from "../../agents/select.ts";

/** `dragoman chat [PROMPT]`: runs several turns in one session. */
export function run({ values, words }: ParsedCommandLine, io: Io): Promise<ExitCode> {
  return runCommand(io, values, {
    ownResults: true,
    run: async (context, connect) => {
      const chosen = await chooseAgent(context);
      const policy = await policyOf(context);
      const connected = await connect(chosen, policy);
      const { openChat } = await import("./chat.ts");
      const chat = await openChat(context, connected, policy);
      await chat.run(words.join(" "));
    },
  });
}

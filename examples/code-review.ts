// Reviews a diff from stdin. The answer is an object that matches a schema.
//
//   git diff | node code-review.ts [command [arguments ...]]
import { text } from "node:stream/consumers";
import { AcpClient, AnswerMismatchError, typedAnswer } from "dragoman";
import { z } from "zod";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

const review = z.object({
  summary: z.string(),
  findings: z.array(
    z.object({
      file: z.string(),
      line: z.number().int().positive(),
      severity: z.enum(["error", "warning", "note"]),
      problem: z.string(),
    }),
  ),
});

const prompt = `Review this diff. Report only real problems.\n\n${await text(process.stdin)}`;

await using client = await AcpClient.start({ command, args, permissions: "read" });
const session = await client.newSession({ cwd: process.cwd() });
try {
  const { value } = await typedAnswer(session, prompt, { schema: review, retries: 1 });
  console.log(value.summary);
  for (const { file, line, severity, problem } of value.findings) {
    console.log(`${file}:${line}: ${severity}: ${problem}`);
  }
  process.exitCode = value.findings.some(({ severity }) => severity === "error") ? 1 : 0;
} catch (error) {
  if (!(error instanceof AnswerMismatchError)) throw error;
  console.log("The agent did not answer with a review.");
  process.exitCode = 2;
}

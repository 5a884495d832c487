// Fifty conversations in one process, with one agent. At most eight turns run at the same time.
//
//   node chat-bot.ts [command [arguments ...]]
import { AcpClient, type Session, DragomanError } from "dragoman";

const named = process.argv.slice(2);
const [command = "npx", ...args] = named.length > 0 ? named : ["npx", "dragoman", "demo-agent"];

const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

await using client = await AcpClient.start({ command, args, timeouts: { turnMs: 120_000 } });

/** One session for each user, opened with the first message. */
const sessions = new Map<string, Promise<Session>>();

function sessionOf(user: string): Promise<Session> {
  const session = sessions.get(user) ?? client.newSession({ cwd: process.cwd() });
  sessions.set(user, session);
  return session;
}

async function reply(user: string, message: string): Promise<string> {
  try {
    const session = await sessionOf(user);
    const turn = session.prompt(message, { signal: stop.signal, whenBusy: "wait" });
    const { finalMessage, stopReason } = await turn.result;
    return stopReason === "end_turn" ? finalMessage : `(${stopReason})`;
  } catch (error) {
    if (error instanceof DragomanError) return `Sorry, that failed (${error.code}).`;
    throw error;
  }
}

// Two messages from each of 50 users. A real bot would get them from its chat service.
const users = Array.from({ length: 50 }, (_, n) => `user ${n + 1}`);
const inbox = ["/title Hello", "/think about lunch"].flatMap((message) =>
  users.map((user) => ({ user, message })),
);

// All workers take from the same iterator, so that each message is answered once.
const waiting = inbox.values();
const answers: string[] = [];
async function work(): Promise<void> {
  for (const { user, message } of waiting) {
    if (stop.signal.aborted) return;
    answers.push(`${user}: ${await reply(user, message)}`);
  }
}
await Promise.all(Array.from({ length: 8 }, work));

for (const answer of answers.filter((each) => each.startsWith("user 50:"))) console.log(answer);
console.log(`${answers.length} answers in ${client.sessions.length} sessions`);

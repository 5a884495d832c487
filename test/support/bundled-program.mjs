// A program that uses every entry. The package tests bundle it and run the bundle:
//
//   node bundle.js client <executable of Droid>
//   node bundle.js windows <executable of Node whose name ends in .exe>
//
// As a client it starts itself with the argument `agent`. It has no `await` at the top level, which
// CommonJS lacks.
import { AcpClient } from "dragoman";
import { serveAgent, stdioChannel } from "dragoman/agent";
import { createAcpProvider } from "dragoman/ai";
import { DroidClient } from "dragoman/droid";
import { openProcess } from "dragoman/wire";

const [, self, role, executable] = process.argv;

async function main() {
  if (role === "agent") return serve();
  const answers =
    role === "windows"
      ? [await startAsOnWindows()]
      : [await askAgent(), await askModel(), await askDroid()];
  process.stdout.write(answers.map((answer) => `${answer}\n`).join(""));
}

async function serve() {
  await serveAgent(stdioChannel(), {
    info: { name: "bundled", version: "1.0.0" },
    newSession: () => ({}),
    prompt: async (turn) => {
      await turn.say(`the agent heard ${turn.text}`);
      return "end_turn";
    },
  });
}

async function askModel() {
  const provider = createAcpProvider({ command: process.execPath, args: [self, "agent"] });
  try {
    const prompt = [{ role: "user", content: [{ type: "text", text: "two" }] }];
    const { content } = await provider().doGenerate({ prompt });
    return content.map(({ text }) => text).join("");
  } finally {
    await provider.close();
  }
}

async function askAgent() {
  const client = await AcpClient.start({ command: process.execPath, args: [self, "agent"] });
  try {
    const session = await client.newSession({ cwd: process.cwd() });
    return await session.prompt("one").text();
  } finally {
    await client.close();
  }
}

async function askDroid() {
  const droid = await DroidClient.start({ executable });
  try {
    return await droid.prompt("two").text();
  } finally {
    await droid.close();
  }
}

/** Only on Windows is a command started through a CommonJS package that is part of this one. */
async function startAsOnWindows() {
  const real = Object.getOwnPropertyDescriptor(process, "platform");
  Object.defineProperty(process, "platform", { ...real, value: "win32" });
  const args = ["-e", "process.stdin.resume(); console.log('the process said three')"];
  const started = openProcess({ command: executable, args });
  const channel = await started.finally(() => Object.defineProperty(process, "platform", real));
  const line = await new Promise((resolve) => channel.open(resolve));
  await channel.close();
  return line;
}

void main();

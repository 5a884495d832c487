// Starts an agent as an editor does, and connects it to its own stdin and stdout. When this program is
// killed, the agent only sees the end of its stdin. The agent's process id goes to a file.
//
//   node editor.mjs <file> <command> <arguments>
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import process from "node:process";

const [, , file, command, ...args] = process.argv;
const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
appendFileSync(file, `${child.pid}\n`);
child.stdin.on("error", () => {});
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("exit", (code) => process.exit(code ?? 1));

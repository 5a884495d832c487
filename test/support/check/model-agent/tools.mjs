import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve, sep } from "node:path";
import { agent, defect, variant } from "./context.mjs";
import { call } from "./rpc.mjs";

const text = { type: "string" };
const tool = (name, properties) => ({
  name,
  description: `Use ${name}`,
  parameters: { type: "object", properties, required: Object.keys(properties) },
});

/** The tools that the model gets. */
export const tools = () => [
  tool("read", { path: text }),
  tool("write", { path: text, content: text }),
  tool("shell", { command: text }),
  tool("todo", {
    todos: {
      type: "array",
      items: { type: "object", properties: { content: text, status: text } },
    },
  }),
  tool("ask_user", { question: text }),
  ...(variant("mcp-search") ? [tool("tool_search", { query: text })] : []),
];

const KINDS = { read: "read", write: "edit", shell: "execute" };

export class Failure extends Error {}

function pathOf(session, path) {
  const full = resolve(defect("process-cwd") ? agent().cwd : session.cwd, path);
  const roots = [session.cwd, ...(defect("extra-roots-ignored") ? [] : session.roots)];
  if (defect("process-cwd")) return full;
  if (!roots.some((root) => full === root || full.startsWith(root + sep)))
    throw new Failure(`${full} is outside the workspace`);
  return full;
}

async function readText(context, path) {
  const { client, session, signal } = context;
  if (client.fs?.readTextFile === true || defect("fs-unoffered")) {
    const params = { sessionId: session.id, path };
    const { content } = await call("fs/read_text_file", params, signal);
    if (!defect("prefers-disk")) return content;
  }
  if (!existsSync(path))
    throw Object.assign(new Failure(`${path} does not exist`), { code: -32002 });
  return readFileSync(path, "utf8");
}

async function previousText(context, path) {
  try {
    return await readText(context, path);
  } catch (error) {
    if (context.signal.aborted || defect("needs-old-file")) throw error;
    return null;
  }
}

async function writeText(context, path, content) {
  const { client, session, signal } = context;
  if (client.fs?.writeTextFile === true || defect("fs-unoffered")) {
    const written = defect("changes-line-ends") ? content.replaceAll("\r\n", "\n") : content;
    await call("fs/write_text_file", { sessionId: session.id, path, content: written }, signal);
  } else writeFileSync(path, content);
}

/** What a tool shows before it runs, and the work itself, which returns the result for the model. */
export async function prepare(context, name, args) {
  const { session } = context;
  switch (name) {
    case "read": {
      const path = pathOf(session, args.path);
      return {
        shown: { kind: KINDS.read, locations: [{ path }] },
        run: async () => readText(context, path),
      };
    }
    case "write": {
      const path = pathOf(session, args.path);
      if (session.mode === "plan" && session.hasModeEffect)
        throw new Failure("files are not written in the mode plan");
      const oldText = await previousText(context, path);
      const content = defect("no-diff")
        ? []
        : [{ type: "diff", path, oldText, newText: args.content }];
      return {
        shown: { kind: KINDS.write, locations: [{ path }], content },
        asks: true,
        run: async () => {
          await writeText(context, path, args.content);
          return "written";
        },
      };
    }
    case "shell":
      return {
        shown: { kind: KINDS.shell },
        asks: true,
        run: (show) =>
          context.client.terminal === true || defect("terminal-unoffered")
            ? runInTerminal(context, args.command, show)
            : runHere(context, args.command),
      };
    case "todo":
      return { shown: { kind: "think" }, run: () => showPlan(context, args.todos) };
    case "ask_user":
      return { shown: { kind: "other" }, run: () => askUser(context, args.question) };
    case "tool_search":
      return { shown: { kind: "search" }, run: () => session.servers.names().join(" ") };
    default:
      return {
        shown: { kind: "other" },
        run: async () => {
          const result = await session.servers.call(name, args);
          if (result === undefined) throw new Failure(`there is no tool ${name}`);
          return result;
        },
      };
  }
}

async function runInTerminal({ session, signal }, command, show) {
  const { id: sessionId, cwd } = session;
  const line = defect("shell-line") ? { command } : { command: "sh", args: ["-c", command] };
  const folder = defect("process-cwd") ? agent().cwd : cwd;
  const place = variant("terminal-without-cwd") ? {} : { cwd: folder };
  const created = await call("terminal/create", { sessionId, ...line, ...place }, signal);
  const params = { sessionId, terminalId: created.terminalId };
  const content = [{ type: "terminal", terminalId: created.terminalId }];
  try {
    await show({ content });
    const isPatient = defect("cancel-waits-for-tools");
    const exit = await call("terminal/wait_for_exit", params, isPatient ? undefined : signal);
    const { output, truncated } = await call("terminal/output", params, signal);
    const known = `${output}${truncated && !defect("hides-truncation") ? "\n(cut)" : ""}`;
    if (exit.signal && defect("hides-signal")) return known;
    if (exit.exitCode !== 0 && !defect("hides-exit"))
      throw new Failure(`${known}\nended with ${exit.signal ?? `code ${exit.exitCode}`}`);
    return known;
  } finally {
    const leaks = defect("leaks-terminals") || (defect("leaks-on-cancel") && signal.aborted);
    if (!leaks) await call("terminal/release", params).catch(() => {});
    if (variant("repeats-terminal")) await show({ content });
  }
}

async function runHere({ session, signal }, command) {
  const cwd = defect("process-cwd") ? agent().cwd : session.cwd;
  const child = spawn("sh", ["-c", command], {
    cwd,
    env: agent().env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  session.children.add(child);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const code = await new Promise((done, reject) => {
    child.once("error", reject);
    child.once("close", done);
    signal.addEventListener("abort", () => {
      if (defect("cancel-waits-for-tools")) return;
      session.endChildren();
      reject(signal.reason);
    });
  });
  session.children.delete(child);
  if (code !== 0) throw new Failure(`${output}\nended with code ${code}`);
  return output;
}

async function showPlan({ session }, todos) {
  if (defect("no-plan")) return "noted";
  const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" }));
  await session.update({
    sessionUpdate: "plan",
    entries: defect("partial-plan") ? entries.slice(0, 1) : entries,
  });
  return "noted";
}

async function askUser({ client, session, signal }, question) {
  const offered = (client.elicitation?.form ?? undefined) !== undefined;
  if (!offered && !defect("elicits-unoffered")) return "the user cannot be asked";
  const requestedSchema = { type: "object", properties: { answer: text } };
  const params = { sessionId: session.id, mode: "form", message: question, requestedSchema };
  const answer = await call("elicitation/create", params, signal);
  if (answer.action !== "accept" && defect("decline-hangs")) await new Promise(() => {});
  return answer.action === "accept"
    ? JSON.stringify(answer.content)
    : `user chose ${answer.action}`;
}

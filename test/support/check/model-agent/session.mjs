import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agent, defect } from "./context.mjs";
import { McpServers } from "./mcp.mjs";
import { drained, notify } from "./rpc.mjs";

const folderOf = () => join(agent().env.HOME, ".model-agent");
const fileOf = (id) => join(folderOf(), `${encodeURIComponent(id)}.json`);

/** A conversation: its folder, its messages to the model, its updates, and its running turns. */
export class Session {
  id;
  cwd;
  roots = [];
  messages = [];
  updates = [];
  /** In the mode "plan", files are not written. */
  mode = "ask";
  hasModeEffect = true;
  /** How often the client has refused a custom request. */
  refusals = 0;
  model = "small";
  updatedAt = new Date().toISOString();
  servers = new McpServers([], "/");
  /** Ends the running turns. */
  turns = new Set();
  /** The last turn in the queue. */
  queue = Promise.resolve();
  /** Tools that need no permission anymore. */
  allowed = new Set();
  terminals = new Set();
  children = new Set();
  isClosed = false;
  /** Whether the last cancel ended a turn. */
  wasCancelled = false;
  /** With some defects, no prompt works anymore. */
  isStuck = false;

  constructor(id = randomUUID()) {
    this.id = id;
    agent().lastId = id;
  }

  static find(id) {
    const file = fileOf(id);
    if (!existsSync(file)) return undefined;
    return Object.assign(new Session(id), JSON.parse(readFileSync(file, "utf8")));
  }

  static list() {
    if (!existsSync(folderOf())) return [];
    return readdirSync(folderOf()).map((name) =>
      Session.find(decodeURIComponent(name.replace(/\.json$/, ""))),
    );
  }

  static remove(id) {
    rmSync(fileOf(id), { force: true });
  }

  save() {
    const { cwd, roots, messages, updates, mode, model, updatedAt } = this;
    mkdirSync(folderOf(), { recursive: true });
    const text = JSON.stringify({ cwd, roots, messages, updates, mode, model, updatedAt });
    writeFileSync(fileOf(this.id), text);
  }

  connect(mcpServers) {
    this.servers.close();
    this.servers = new McpServers(mcpServers, this.cwd);
  }

  /** Sends an update and keeps it for a later load. */
  async update(update) {
    const kept = ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update"];
    if (kept.includes(update.sessionUpdate)) this.record(update);
    this.send(update);
    await drained();
  }

  send(update) {
    const isText = update.sessionUpdate === "agent_message_chunk";
    const sessionId = defect("crossed-updates") && isText ? agent().lastId : this.id;
    notify("session/update", { sessionId, update });
    if (defect("wrong-session-id") && isText)
      notify("session/update", { sessionId: `${this.id}-x`, update });
  }

  record(update) {
    const last = this.updates.at(-1);
    const isText = update.content?.type === "text" && last?.content?.type === "text";
    if (isText && last.sessionUpdate === update.sessionUpdate)
      last.content.text += update.content.text;
    else this.updates.push(structuredClone(update));
  }

  replay() {
    if (defect("replays-nothing")) return;
    for (const update of this.updates) {
      if (defect("replays-no-tools") && update.sessionUpdate.startsWith("tool_call")) continue;
      this.send(update);
      if (defect("replays-twice") && update.sessionUpdate === "agent_message_chunk")
        this.send(update);
    }
  }

  cancel() {
    for (const turn of this.turns) turn.abort(new Error("the turn was cancelled"));
  }

  /** Ends everything that belongs to the session. */
  close() {
    this.isClosed = !defect("close-keeps-session");
    this.cancel();
    this.endChildren();
    this.servers.close();
  }

  endChildren() {
    if (defect("orphans") || defect("shell-survives-cancel")) return;
    for (const { pid } of this.children) {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // It has exited.
      }
    }
    this.children.clear();
  }

  settings() {
    return {
      modes: {
        currentModeId: this.mode,
        availableModes: [
          { id: "ask", name: "Ask" },
          { id: "plan", name: "Plan" },
        ],
      },
      configOptions: this.options(),
    };
  }

  options() {
    const options = ["small", "large"].map((value) => ({ value, name: value }));
    const modes = ["ask", "plan"].map((value) => ({ value, name: value }));
    return [
      {
        id: "mode",
        name: "Mode",
        category: "mode",
        type: "select",
        currentValue: this.mode,
        options: modes,
      },
      {
        id: "model",
        name: "Model",
        category: "model",
        type: "select",
        currentValue: this.model,
        options,
      },
    ];
  }
}

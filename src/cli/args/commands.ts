/** The commands. If the first argument is not one of them, the arguments are a prompt. */
export const COMMANDS = [
  { name: "chat", usage: "chat", help: "talk to an agent over several turns" },
  { name: "agents", usage: "agents", help: "list known agents and which are installed" },
  {
    name: "sessions",
    usage: "sessions list|show|delete|export [ID]",
    help: "list, show, delete or export an agent's sessions",
  },
  {
    name: "doctor",
    usage: "doctor [AGENT]",
    help: "check step by step whether an agent works",
  },
  {
    name: "proxy",
    usage: "proxy (-a NAME | -- CMD)",
    help: "stand between an editor and its agent: restarts, rules, recordings",
  },
  {
    name: "serve",
    usage: "serve (-a NAME | -- CMD)",
    help: "let clients on other machines use an agent of this one",
  },
  {
    name: "hub",
    usage: "hub status|stop|logs",
    help: "show or stop the hub that keeps agents warm, or print its log",
  },
  {
    name: "attach",
    usage: "attach [SESSION]",
    help: "join a session that another client has open",
  },
  { name: "replay", usage: "replay FILE", help: "act as an agent that plays back a recording" },
  { name: "completion", usage: "completion bash|zsh|fish", help: "print a completion script" },
  { name: "help", usage: "help [COMMAND]", help: "print help" },
] as const;

/** The actions of `sessions`. */
export const SESSION_ACTIONS = ["list", "show", "delete", "export"] as const;

/** The actions of `hub`. */
export const HUB_ACTIONS = ["status", "stop", "logs"] as const;

export type CommandName = (typeof COMMANDS)[number]["name"] | "prompt";

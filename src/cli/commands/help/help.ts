import {
  ALL_OPTIONS,
  COMMANDS,
  type CommandName,
  type OptionGroup,
} from "../../shell/options/options.ts";
import { nearest } from "../../shell/suggest.ts";
import { SETTING_KEYS, VARIABLES } from "../../settings/key-table.ts";
import { EXIT_MEANINGS, usageError } from "../../shell/exit.ts";

const GROUPS: readonly OptionGroup[] = [
  "Agent",
  "Prompt",
  "Output",
  "Permissions",
  "Session",
  "Diagnostics",
  "Limits",
  "Compare",
  "Check",
  "Inspect",
  "Install",
  "Serve",
  "Fleet",
  "Replay",
  "General",
];

const LEFT = 28;

/** The help for one command, or the main help for a prompt. */
export function helpText(command: CommandName): string {
  return command === "prompt" || command === "help" ? mainHelp() : commandHelp(command);
}

/** The command in `help COMMAND`. Throws a usage error if it does not exist. */
export function commandNamed([word]: readonly string[]): CommandName {
  if (word === undefined || word === "prompt") return "prompt";
  const command = COMMANDS.find(({ name }) => name === word);
  if (command !== undefined) return command.name;
  const names = COMMANDS.map(({ name }) => name);
  throw usageError(`unknown command "${word}"`, nearest(word, names) ?? names.join(", "));
}

function mainHelp(): string {
  return [
    "Talk to any coding agent that speaks the Agent Client Protocol.",
    "",
    "Usage: dragoman [options] [--] [prompt]",
    "       dragoman COMMAND [options]",
    "",
    "The answer goes to stdout, everything else to stderr. Piped stdin is added to the",
    "prompt. @path and @https://... in the prompt become links that the agent can follow.",
    "",
    "Commands:",
    ...COMMANDS.map(({ usage, help }) => row(usage, help, 40)),
    "",
    ...optionHelp("prompt"),
    "Exit codes:",
    ...EXIT_MEANINGS.map(([code, meaning]) => row(String(code), meaning, 5)),
    "",
    "Examples:",
    '  dragoman "what does this project do?"',
    '  git diff | dragoman -a claude "review this change"',
    '  dragoman -a gemini --write "add a test for @src/parse.ts"',
    '  dragoman -o events "list the open questions" | jq -r .type',
    "",
  ].join("\n");
}

function commandHelp(name: CommandName): string {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  return [
    `dragoman ${command?.usage ?? name}: ${command?.help ?? ""}`,
    "",
    ...(DETAILS[name] ?? []),
    ...optionHelp(name),
  ].join("\n");
}

const DETAILS: Partial<Record<CommandName, readonly string[]>> = {
  chat: [
    "Enter sends the prompt, even while the agent works: it waits then. Alt-Enter starts a",
    "new line. Tab completes /commands and @files, Ctrl-R searches earlier prompts. Ctrl-C",
    "cancels the turn. Ctrl-C twice at an empty prompt, or Ctrl-D, ends the chat.",
    "The chat itself handles /model, /mode, /permissions, /diff, /undo, /resume, /copy, /help",
    "and /exit. Every other /command goes to the agent.",
    "",
  ],
  agents: [
    "  (nothing)      list the agents; * marks the one that runs use by default",
    "  install NAME   install an agent for Dragoman alone: one version, with a known hash",
    "  update NAME    the same for an agent that Dragoman has installed",
    "  remove NAME    delete it again",
    "",
    "Dragoman prints what it will load and run, and asks. npm runs no install scripts.",
    "",
  ],
  sessions: [
    "  list         list the agent's sessions in this folder (--all: in every folder)",
    "  show ID      print the conversation",
    "  export ID    print it as Markdown, HTML or JSON (--format), or as events (-o events)",
    "  delete ID    delete the session",
    "  prune        delete old sessions (--older-than), after asking",
    "",
    "ID is a session's id, the start of an id that no other session has, or a name that was",
    "given with --session.",
    "",
  ],
  compare: [
    "Each agent works on a copy of the last commit, in a git worktree of its own, so your files",
    "stay as they are. Then apply the changes of one agent:",
    "  dragoman compare --keep NAME",
    "",
  ],
  proxy: [
    "Put it into an editor's configuration in place of the agent. It speaks ACP on stdin and",
    "stdout; everything else goes to stderr. docs/hub.md has snippets for editors:",
    "  dragoman proxy -a gemini --permissions rules.json",
    "  dragoman proxy --record-dir ~/acp -- my-agent --acp",
    "",
  ],
  check: [
    "Checks an agent, or a client, requirement by requirement, and shows the frames that decide:",
    "  dragoman check -a gemini",
    "  dragoman check --prompts prompts.json -- my-agent --acp",
    "  dragoman check client --driver driver.json -- my-client --agent {agent} --cwd {cwd}",
    "In the command of a client, {agent} becomes the command line of the checking agent, and",
    "{cwd} a workspace. Reports of earlier runs, with a matrix of their subjects:",
    "  dragoman check report a.json b.json --html matrix.html",
    "docs/check.md explains baselines, drivers and the requirements.",
    "",
  ],
  inspect: [
    "Opens recordings (--record, --record-dir) and captures of other programs, one or two to",
    "compare. In place of an agent in an editor's configuration, it shows what both say, live.",
    "With --nats, it shows sessions of a fleet, straight from their logs, as they grow:",
    "  dragoman inspect bug.jsonl",
    "  dragoman inspect bug.jsonl --export bug.html",
    "  dragoman inspect -- my-agent --acp",
    "  dragoman inspect --nats nats://127.0.0.1:4222 SESSION",
    "The page is only for this machine, and needs the token in its address. docs/inspect.md",
    "describes its views.",
    "",
  ],
  config: [
    "  (nothing)        every setting, its value, and where it comes from",
    "  get KEY          print one value",
    "  set KEY VALUE    change a setting; comments in the file stay",
    "  unset KEY        remove a setting",
    "  list             print the settings in the file, one per line",
    "  path             print the path of the file",
    "",
    "Keys:",
    ...SETTING_KEYS.map(({ name, about, values }) => row(name, `${about}: ${values}`, LEFT)),
    "",
    "Flags override variables, and those override the settings. The variables are",
    `${Object.keys(VARIABLES).slice(0, 3).join(", ")},`,
    `${Object.keys(VARIABLES).slice(3).join(" and ")}.`,
    "",
  ],
  serve: [
    "Serves ACP over WebSocket and streamable HTTP on /acp, for clients with a token:",
    "  dragoman serve -a claude --root repo=/srv/repo",
    "  dragoman --agent-url ws://127.0.0.1:8790/acp --token-file FILE -C repo PROMPT",
    "With several agents (-a NAME -a NAME), each has the path /acp/NAME. SIGTERM or Ctrl-C",
    "lets running turns finish; a second one ends them. docs/hub.md has the details.",
    "",
  ],
  worker: [
    "Hosts agents for a fleet, under the name --worker-name, and takes the jobs of its pool:",
    "  dragoman worker --nats nats://127.0.0.1:4222 -a claude --root repo=/srv/repo",
    "SIGTERM or Ctrl-C lets running turns finish; a second one ends them. With --listen, the",
    "paths /healthz and /metrics are served there. docs/fleet.md has the details.",
    "",
  ],
  gateway: [
    "Serves ACP as `dragoman serve` does, for the agents of all workers of a pool:",
    "  dragoman gateway --nats nats://127.0.0.1:4222 --tokens tokens.json",
    "  dragoman --agent-url ws://127.0.0.1:8790/acp/claude --token-file FILE -C repo PROMPT",
    "Every gateway serves every session. `tenant` in the tokens file groups tokens.",
    "",
  ],
  jobs: [
    "  submit PROMPT   queue a job (-a, -C ROOT or --git URL), and print its id",
    "  list            list the jobs",
    "  show ID         print the result: the answer, and with -o result everything",
    "  follow ID       print the answer as it grows, until the job ends",
    "  cancel ID       cancel a job that waits or runs",
    "",
    "Jobs are reached through NATS (--nats), or a gateway (--agent-url and --token-file).",
    "",
  ],
  fleet: [
    "  status           workers, sessions, queues and lag (-o events: as JSON)",
    "  export SESSION   print a session's log as a recording (--follow: as it grows)",
    "  setup            create the streams and buckets on the servers",
    "  config           write a configuration for nats-server, with a user for each role (--out)",
    "                   and each worker (--worker)",
    "",
  ],
  hub: [
    "  status    print the hubs of this user, their agents and their sessions (-o events: as JSON)",
    "  stop      end them; running turns may go on for --timeout TIME (default: 10s)",
    "  logs      print the log",
    "",
  ],
  attach: [
    "Joins a session of the local hub, or of the server at --agent-url. Without SESSION it lists",
    "the sessions, and lets you choose one on a terminal. Ctrl-C cancels the turn. Ctrl-C twice",
    "at the prompt, or Ctrl-D, leaves the session, which stays open.",
    "",
  ],
  replay: [
    "Plays the agent's part of a recording made with --record:",
    '  dragoman --agent-command "dragoman replay bug.jsonl" "the original prompt"',
    "",
  ],
  completion: [
    '  bash: eval "$(dragoman completion bash)"',
    '  zsh:  eval "$(dragoman completion zsh)", after compinit',
    "  fish: dragoman completion fish | source",
    "",
  ],
};

function optionHelp(command: CommandName): string[] {
  return GROUPS.flatMap((group) => {
    const options = ALL_OPTIONS.filter(
      (option) => option.group === group && option.on.includes(command),
    );
    if (options.length === 0) return [];
    return [
      `${group}:`,
      ...options.map(({ name, short, value, help }) => {
        const flag = `${short === undefined ? "    " : `-${short}, `}--${name}`;
        return row(value === undefined ? flag : `${flag} ${value}`, help, LEFT);
      }),
      "",
    ];
  });
}

function row(left: string, right: string, width: number): string {
  return `  ${left.padEnd(width)}${left.length >= width ? " " : ""}${right}`;
}

import { BUDGET, NATS, type OptionTable } from "../../shell/options.ts";
import type { ActionTable, CommandSpec } from "../../shell/parse.ts";

const ONE_JOB = { usage: "ID", needs: "the id of one job", hint: "dragoman jobs list" } as const;

export const JOB_ACTIONS = {
  list: { help: "list the jobs" },
  submit: {
    usage: "PROMPT",
    help: "queue a job (-a, -C ROOT or --git URL), and print its id",
  },
  show: { ...ONE_JOB, help: "print the result: the answer, and with -o result everything" },
  follow: { ...ONE_JOB, help: "print the answer as it grows, until the job ends" },
  cancel: { ...ONE_JOB, help: "cancel a job that waits or runs" },
} as const satisfies ActionTable;

export const JOBS_OPTIONS = {
  Fleet: {
    "--tenant NAME":
      "whose jobs, with --nats (default: default); with --agent-url, the token decides",
    "--id ID": "id of the job to submit; the same id is run once (default: a random one)",
    "--git URL":
      "repository for the job, over https or ssh, in place of -C with a root of the workers",
    "--revision REV": "commit, branch or tag that the job starts from (default: HEAD)",
  },
} as const satisfies OptionTable;

export const jobs: CommandSpec = {
  name: "jobs",
  usage: "jobs submit|list|show|follow|cancel",
  help: "run prompts on a fleet, each in a fresh worktree",
  actions: JOB_ACTIONS,
  details: ["Jobs are reached through NATS (--nats), or a gateway (--agent-url and --token-file)."],
  takes: [
    "agent",
    "agent-url",
    "token-file",
    "settings",
    "cwd",
    "file",
    "schema",
    "schema-retries",
    "outputmode",
    "permissions",
    "timeout",
    ...BUDGET,
    ...NATS,
    "pool",
  ],
  own: JOBS_OPTIONS,
};

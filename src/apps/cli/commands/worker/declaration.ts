import { LISTENER, NATS, type OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const WORKER_OPTIONS = {
  Fleet: {
    "--worker-name NAME":
      "name of the worker, the same after a restart (default: the name of this machine)",
    "--volume NAME": "name of the disk with the agents' histories, for workers that share one",
  },
} as const satisfies OptionTable;

export const worker: CommandSpec = {
  name: "worker",
  usage: "worker --nats URL (-a NAME | -- CMD)",
  help: "run sessions and jobs of a fleet on this machine",
  details: [
    "Hosts agents for a fleet, under the name --worker-name, and takes the jobs of its pool:",
    "  dragoman worker --nats nats://127.0.0.1:4222 -a claude --root repo=/srv/repo",
    "SIGTERM or Ctrl-C lets running turns finish; a second one ends them. With --listen, the",
    "paths /healthz and /metrics are served there. docs/fleet.md has the details.",
  ],
  takes: [
    ...LISTENER,
    "agent",
    "trust-project",
    "cwd",
    "permissions",
    "root",
    "session-idle",
    ...NATS,
    "pool",
  ],
  own: WORKER_OPTIONS,
};

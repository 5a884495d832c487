import { FLEET, type OptionSpec } from "./commands.ts";

/** The commands that connect to the servers of a fleet. */
const CONNECTED = [...FLEET, "inspect"] as const;

/** The options that only the commands of a fleet take. */
export const FLEET_OPTIONS = [
  {
    name: "nats",
    value: "URL",
    multiple: true,
    group: "Fleet",
    on: CONNECTED,
    help: "address of a NATS server of the fleet, such as nats://127.0.0.1:4222",
  },
  {
    name: "nats-credentials",
    value: "FILE",
    group: "Fleet",
    on: CONNECTED,
    help: "seed of fleet config, or credentials of nsc, which only you can read",
  },
  {
    name: "nats-ca",
    value: "FILE",
    group: "Fleet",
    on: CONNECTED,
    help: "authorities that sign the certificates of the NATS servers; requires TLS",
  },
  {
    name: "nats-cert",
    value: "FILE",
    group: "Fleet",
    on: CONNECTED,
    help: "certificate of this process, if the NATS servers ask for one",
  },
  {
    name: "nats-key",
    value: "FILE",
    group: "Fleet",
    on: CONNECTED,
    help: "key of that certificate",
  },
  {
    name: "pool",
    value: "NAME",
    group: "Fleet",
    on: ["worker", "gateway", "jobs"],
    help: "group of workers (default: main)",
  },
  {
    name: "worker-name",
    value: "NAME",
    group: "Fleet",
    on: ["worker"],
    help: "name of the worker, the same after a restart (default: the name of this machine)",
  },
  {
    name: "volume",
    value: "NAME",
    group: "Fleet",
    on: ["worker"],
    help: "name of the disk with the agents' histories, for workers that share one",
  },
  {
    name: "tenant",
    value: "NAME",
    group: "Fleet",
    on: ["jobs"],
    help: "whose jobs, with --nats (default: default); with --agent-url, the token decides",
  },
  {
    name: "id",
    value: "ID",
    group: "Fleet",
    on: ["jobs"],
    help: "id of the job to submit; the same id is run once (default: a random one)",
  },
  {
    name: "git",
    value: "URL",
    group: "Fleet",
    on: ["jobs"],
    help: "repository for the job, over https or ssh, in place of -C with a root of the workers",
  },
  {
    name: "revision",
    value: "REV",
    group: "Fleet",
    on: ["jobs"],
    help: "commit, branch or tag that the job starts from (default: HEAD)",
  },
  {
    name: "out",
    value: "DIR",
    group: "Fleet",
    on: ["fleet"],
    help: "folder for the files of fleet config",
  },
  {
    name: "follow",
    group: "Fleet",
    on: ["fleet"],
    help: "go on with the log of fleet export as it grows",
  },
  {
    name: "worker",
    value: "NAME",
    multiple: true,
    group: "Fleet",
    on: ["fleet"],
    help: "give the worker of this name a secret of its own, with fleet config",
  },
] as const satisfies readonly OptionSpec[];

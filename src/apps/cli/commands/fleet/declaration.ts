import { NATS, type OptionTable } from "../../shell/options.ts";
import type { CommandSpec } from "../../shell/parse.ts";

export const FLEET_ACTIONS = ["status", "export", "setup", "config"] as const;

export const FLEET_OPTIONS = {
  Fleet: {
    "--out DIR": "folder for the files of fleet config",
    "--follow": "go on with the log of fleet export as it grows",
    "--worker NAME...": "give the worker of this name a secret of its own, with fleet config",
  },
} as const satisfies OptionTable;

export const fleet: CommandSpec = {
  name: "fleet",
  usage: "fleet status|export|setup|config",
  help: "show a fleet or a session of it, or set up its servers",
  details: [
    "  status           workers, sessions, queues and lag (-o events: as JSON)",
    "  export SESSION   print a session's log as a recording (--follow: as it grows)",
    "  setup            create the streams and buckets on the servers",
    "  config           write a configuration for nats-server, with a user for each role (--out)",
    "                   and each worker (--worker)",
    "",
  ],
  takes: ["settings", "outputmode", ...NATS],
  own: FLEET_OPTIONS,
  next: FLEET_ACTIONS,
};

import type { Requirement } from "../requirement.ts";
import { area } from "./rows.ts";

/** Requirements for clients that only version 2 has. */
export const CLIENT_V2: readonly (readonly Requirement[])[] = [
  area(
    "version-2",
    [
      [
        "DRC2-INIT-01",
        "MUST",
        "turn",
        "initialization",
        "The client speaks version 1 if the agent answers 1.",
      ],
      [
        "DRC2-PRM-01",
        "MUST",
        "turn",
        "prompt-lifecycle",
        "The turn ends when the session is idle, not with the response.",
      ],
      [
        "DRC2-UPD-01",
        "MUST",
        "turn",
        "prompt-lifecycle",
        "Updates are merged by id: null clears a field, and an omitted field stays.",
      ],
      [
        "DRC2-RES-01",
        "MUST",
        "load",
        "session-setup",
        "A replay is taken like the updates of a turn.",
      ],
      [
        "DRC2-PERM-01",
        "WARN",
        "turn",
        "tool-calls",
        "An unknown subject of a permission request is not approved.",
      ],
      [
        "DRC2-ENUM-01",
        "MUST",
        "turn",
        "extensibility",
        "Unknown values are kept and do not break the turn.",
      ],
      [
        "DRC2-BATCH-01",
        "INFO",
        "turn",
        "transports",
        "How the client replies to an array of messages.",
      ],
    ],
    "client",
    2,
  ),
];

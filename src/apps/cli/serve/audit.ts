import { messageOf } from "../../../base/index.ts";
import { resolve } from "node:path";
import {
  type AuditLog,
  defaultAuditFile,
  openAuditLog,
  type ServeEvent,
} from "../../../host/hub/index.ts";
import { usageError } from "../shell/exit.ts";
import type { Context } from "../context/context.ts";
import { fieldsOf } from "./events.ts";

/** The audit log of a server. */
export interface ServeAudit {
  readonly log: AuditLog;
  /** Records an event. */
  event(event: ServeEvent): void;
}

/** If more lines than this wait for the disk, events are only counted. */
const MAX_WAITING = 1000;

/** Opens the file of `--audit-log`. `print` reports failures. Throws a usage error. */
export async function openAudit(
  { io, values }: Context,
  print: (text: string) => void,
): Promise<ServeAudit> {
  const given = values.text("audit-log");
  const file = given === undefined ? defaultAuditFile(io) : resolve(io.cwd, given);
  const onError = (error: unknown): void => {
    print(`could not write the audit log ${file}: ${messageOf(error)}`);
  };
  const log = await openAuditLog(file, { onError }).catch((error: unknown) => {
    throw usageError(`could not open the audit log ${file}: ${messageOf(error)}`);
  });
  let waiting = 0;
  let leftOut = 0;
  const note = (type: string, fields: Readonly<Record<string, unknown>>): void => {
    waiting++;
    void log.note(type, fields).then(() => waiting--);
  };
  return {
    log,
    event(event) {
      // Answers are recorded as decisions.
      if (event.type === "answered") return;
      // Everyone who reaches the port can cause events, faster than a disk writes.
      if (waiting >= MAX_WAITING) {
        leftOut++;
        return;
      }
      if (leftOut > 0) note("left_out", { events: leftOut });
      leftOut = 0;
      note(event.type, fieldsOf(event));
    },
  };
}

import type { ServeAudit } from "./events.ts";
import { resolve } from "node:path";
import { type AuditLog, defaultAuditFile, openAuditLog } from "../../../host/hub/index.ts";
import { messageOf } from "../../../base/index.ts";
import type { Context } from "../context/context.ts";
import { hubEventFields } from "../render/text/hub-events.ts";
import { usageError } from "../shell/exit.ts";

/** If more lines than this wait for the disk, events are only counted. */
const MAX_WAITING = 1000;

/** Opens the file of `--audit-log`. `print` reports failures. Throws a usage error. */
export function openAuditFile(
  { io, values }: Pick<Context, "io" | "values">,
  print: (text: string) => void,
): Promise<AuditLog> {
  const given = values.text("audit-log");
  const file = given === undefined ? defaultAuditFile(io) : resolve(io.cwd, given);
  const onError = (error: unknown): void => {
    print(`could not write the audit log ${file}: ${messageOf(error)}`);
  };
  return openAuditLog(file, { onError }).catch((error: unknown) => {
    throw usageError(`could not open the audit log ${file}: ${messageOf(error)}`);
  });
}

/** Opens the audit log of a server, which gets its events as well. Throws a usage error. */
export async function openAudit(
  context: Context,
  print: (text: string) => void,
): Promise<ServeAudit> {
  const log = await openAuditFile(context, print);
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
      note(event.type, hubEventFields(event));
    },
  };
}

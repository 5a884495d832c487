import type { InspectedSession } from "../../inspect/index.ts";
import type { RecordingFile } from "../connect/recording.ts";

/** A session of a page, as the file that a recorder writes. */
export function sessionFile(session: InspectedSession): RecordingFile {
  const { log } = session;
  return {
    get isOverloaded() {
      return log.isOverloaded;
    },
    relieved: () => log.relieved(),
    write: (text) => session.write(text),
    end: async () => log.end(),
  };
}

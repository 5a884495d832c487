import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { createHub } from "../../../../host/hub/index.ts";
import { HubDaemon } from "./daemon.ts";
import { hubDataFolder, logFiles, HubLog } from "./hub-log.ts";
import { claimHub, removeDeadHubs } from "../records.ts";
import { checkRuntimeFolder } from "../runtime-folder.ts";

/**
 * Runs the hub of this version in this process, until it has nothing left to do. The process that
 * started it reads `ready` or `taken` on its stdout. Rejects if the hub cannot start.
 */
export async function runHub(folder: string, version: string): Promise<void> {
  await checkRuntimeFolder(folder, process.platform);
  const claim = await claimHub(folder, version);
  if (claim === undefined) {
    writeSync(STDOUT, "taken\n");
    return;
  }
  try {
    await removeDeadHubs(folder);
    const data = await dataFolder(folder);
    const log = new HubLog(data);
    const daemon = new HubDaemon({ data, folder, version, claim, log, createHub });
    process.on("SIGTERM", () => void daemon.end("SIGTERM"));
    process.on("SIGINT", () => void daemon.end("SIGINT"));
    process.on("SIGHUP", () => {});
    await daemon.listen();
    writeSync(STDOUT, "ready\n");
    letGo(data);
    await daemon.ended;
  } catch (error) {
    await claim.remove();
    throw error;
  }
}

/** A home folder may be read-only. */
async function dataFolder(folder: string): Promise<string> {
  const { env, platform } = process;
  const data = hubDataFolder({ env, platform, home: env["HOME"] ?? homedir() });
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    return data;
  } catch {
    return folder;
  }
}

const STDOUT = 1;
const STDERR = 2;

/**
 * Lets go of the pipes to the process that started this one, so that nothing waits for their end. Errors
 * that nothing handles go to the log. The system gives a new file the lowest free number.
 */
function letGo(data: string): void {
  if (process.platform === "win32") return;
  closeSync(STDOUT);
  openSync("/dev/null", "w");
  closeSync(STDERR);
  openSync(logFiles(data)[1], "a", 0o600);
}

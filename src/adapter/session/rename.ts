import type { AdapterDeps } from "../deps.ts";
import { loadInPool } from "../process/session-process.ts";
import type { StoredSession } from "./session.ts";

/** Gives a session that is not in use a title. Only Droid itself can do that, and not 0.99. */
export async function renameStored(
  deps: AdapterDeps,
  { droidIds, cwd = deps.home }: StoredSession,
  title: string,
): Promise<void> {
  const client = await loadInPool(deps, { cwd, mcpServers: [] }, droidIds.at(-1) ?? "");
  try {
    await client.rename(title);
  } finally {
    await client.close();
  }
}

/** Git, and what an agent changed in a worktree, without running what the agent wrote there. */
export * from "./run.ts";
export { takeSnapshot, type WorktreeSnapshot } from "./snapshot.ts";

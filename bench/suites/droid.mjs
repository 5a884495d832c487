import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const DELTAS = 100_000;
const SESSIONS = 5000;
const FOLDERS = 50;

/** Creates a home with many sessions, in Droid's format. It is removed when the run ends. */
function sessionsHome() {
  const home = mkdtempSync(join(tmpdir(), "dragoman-bench-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  for (let index = 0; index < SESSIONS; index++) {
    const folder = join(home, ".factory", "sessions", `-home-user-project-${index % FOLDERS}`);
    if (index < FOLDERS) mkdirSync(folder, { recursive: true });
    const id = `0b2242eb-ef51-42fc-989d-${String(index).padStart(12, "0")}`;
    const start = {
      type: "session_start",
      id,
      title: `Look into the failing test number ${index}`,
      owner: "unknown",
      version: 2,
      cwd: `/home/user/project-${index % FOLDERS}`,
      hostId: "59a7b83d-46c8-4372-ba74-181960e76824",
      isSessionTitleManuallySet: false,
    };
    const message = { type: "message", id, message: { role: "user", content: "x".repeat(400) } };
    const lines = [start, ...Array.from({ length: 20 }, () => message)];
    writeFileSync(
      join(folder, `${id}.jsonl`),
      `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`,
    );
    writeFileSync(join(folder, `${id}.settings.json`), "{}");
  }
  return home;
}

const home = sessionsHome();

export default {
  title: "Droid",
  parts: [
    {
      title: "100,000 text deltas of one turn, from a child process",
      variants: [
        {
          name: "baseline: split + JSON.parse",
          command: ["consumers/baseline.mjs", "droid", DELTAS],
        },
        {
          name: "dragoman DroidClient, iterated",
          command: ["consumers/droid-deltas.mjs", DELTAS],
          target: "≤ 1.5",
        },
      ],
    },
    {
      title: "Listing 5,000 sessions",
      variants: [
        {
          name: "baseline: the first line of each file",
          command: ["consumers/droid-first-lines.mjs", home],
        },
        {
          name: "the same, synchronously",
          command: ["consumers/droid-first-lines.mjs", home, "sync"],
        },
        {
          name: "dragoman DroidClient.list",
          command: ["consumers/droid-list.mjs", home],
          target: "≤ 1.5",
        },
      ],
    },
  ],
};

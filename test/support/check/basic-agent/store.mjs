// Sessions, in memory and in files of the home.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

const PAGE = 1;

export function store({ has, fail, env }) {
  const folder = join(env.HOME, "sessions");
  const open = new Map();
  const file = (id) => join(folder, `${encodeURIComponent(id)}.json`);
  const saved = () => {
    try {
      return readdirSync(folder).map((name) =>
        JSON.parse(readFileSync(join(folder, name), "utf8")),
      );
    } catch {
      return [];
    }
  };
  const find = (id) => {
    const session = open.get(id) ?? saved().find((one) => one.id === id);
    if (session) open.set(id, session);
    return session;
  };
  return {
    find,
    add: (session) => void open.set(session.id, session),
    save(session) {
      const write = () => {
        mkdirSync(folder, { recursive: true });
        writeFileSync(file(session.id), JSON.stringify(session));
      };
      if (has("saves-late")) setTimeout(write, 60_000).unref();
      else write();
    },
    remove(id) {
      open.delete(id);
      rmSync(file(id), { force: true });
    },
    list({ cwd, cursor }) {
      if (cwd !== undefined && cwd !== null && typeof cwd !== "string") {
        fail(has("params-are-internal") ? -32603 : -32602, "cwd must be a string");
      }
      const start = cursor === undefined || cursor === null ? 0 : Number(cursor);
      if (!Number.isInteger(start) && !has("any-cursor")) fail(-32602, "unknown cursor");
      if (has("list-is-null")) return { sessions: null };
      const known = new Map((has("lists-memory-only") ? [] : saved()).map((one) => [one.id, one]));
      for (const [id, session] of open) if (session.history.length > 0) known.set(id, session);
      const all = [...known.values()].filter(
        (one) => cwd === undefined || cwd === null || one.cwd === cwd || has("ignores-filter"),
      );
      const page = has("repeats-pages") ? all.slice(0, PAGE) : all.slice(start, start + PAGE);
      const hasMore = has("repeats-pages") ? all.length > 0 : start + PAGE < all.length;
      return {
        sessions: (has("ignores-filter") && all.length === 0
          ? [{ id: "x", cwd: "/", updatedAt: undefined }]
          : page
        ).map((one) => ({
          sessionId: one.id,
          cwd: has("relative-list") ? basename(one.cwd) : one.cwd,
          updatedAt: one.updatedAt,
        })),
        ...(hasMore ? { nextCursor: String(start + PAGE) } : {}),
      };
    },
  };
}

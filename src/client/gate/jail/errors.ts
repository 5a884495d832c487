import { DragomanError } from "../../../base/index.ts";
/** Why a path was denied, or why its file could not be used. */
export type JailReason =
  | "relative"
  | "malformed"
  | "too-long"
  | "outside"
  | "not-found"
  | "not-regular"
  | "not-a-folder"
  | "link-loop"
  | "read-only"
  | "changed"
  | "binary"
  | "too-large"
  | "no-access"
  | "failed";

/** A path that must not or cannot be used. Callers decide by `reason`. */
export class JailError extends DragomanError {
  override readonly name = "JailError";
  readonly reason: JailReason;
  /** The path as the caller gave it. */
  readonly path: string;

  constructor(reason: JailReason, path: string, cause?: unknown) {
    const code = reason === "failed" ? codeOf(cause) : undefined;
    const detail = code === undefined ? "" : ` (${code})`;
    super(
      "not_allowed",
      `${shorten(path)}: ${EXPLANATIONS[reason]}${detail}`,
      cause === undefined ? {} : { cause },
    );
    this.reason = reason;
    this.path = path;
  }
}

const EXPLANATIONS: Readonly<Record<JailReason, string>> = {
  relative: "the path is not absolute",
  malformed: "the path cannot name a file",
  "too-long": "the path, or a name in it, is too long",
  outside: "the path leads outside the session's workspace",
  "not-found": "no such file",
  "not-regular": "not a regular file",
  "not-a-folder": "part of the path is not a folder",
  "link-loop": "the links in the path form a loop",
  "read-only": "the file is read-only",
  changed: "the path changed while it was in use",
  binary: "the file is not UTF-8 text",
  "too-large": "the file is too large to read at once: use line and limit to read part of it",
  "no-access": "access was denied",
  failed: "the operation failed",
};

/** Turns any failure into a JailError that names only the path as the caller gave it. */
export function toJailError(path: string, error: unknown): JailError {
  if (error instanceof JailError) {
    return error.path === path ? error : new JailError(error.reason, path);
  }
  return new JailError(reasonOf(codeOf(error)), path, error);
}

/**
 * Turns a failure of a provider into a JailError if it has an error code of a file system, such as
 * `ENOENT`. Returns any other failure unchanged.
 */
export function jailErrorFromProvider(path: string, error: unknown): unknown {
  if (error instanceof JailError) return toJailError(path, error);
  const code = codeOf(error);
  return code !== undefined && /^E[A-Z0-9]+$/.test(code) ? toJailError(path, error) : error;
}

/** The system's error code, e.g. `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return String(error.code);
}

const REASONS: ReadonlyMap<string | undefined, JailReason> = /* @__PURE__ */ new Map([
  ["ENOENT", "not-found"],
  ["ENOTDIR", "not-a-folder"],
  ["ELOOP", "link-loop"],
  ["ENAMETOOLONG", "too-long"],
  ["EACCES", "no-access"],
  ["EPERM", "no-access"],
  ["EROFS", "read-only"],
  ["EISDIR", "not-regular"],
]);

/** Pure: the reason that a system error code stands for. */
export function reasonOf(code: string | undefined): JailReason {
  return REASONS.get(code) ?? "failed";
}

const SHOWN_CHARACTERS = 200;

/** A hostile path may be megabytes long. A message must not be. */
function shorten(path: string): string {
  const shown = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path;
  return JSON.stringify(shown);
}

/** Why a path was refused, or why its file could not be used. */
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

/** A path that may not be used, or cannot be. `reason` is what to decide by. */
export class JailError extends Error {
  override readonly name = "JailError";
  readonly reason: JailReason;
  /** The path as it was asked for. */
  readonly path: string;

  constructor(reason: JailReason, path: string, cause?: unknown) {
    const code = reason === "failed" ? codeOf(cause) : undefined;
    const detail = code === undefined ? "" : ` (${code})`;
    super(
      `${shorten(path)}: ${EXPLANATIONS[reason]}${detail}`,
      cause === undefined ? {} : { cause },
    );
    this.reason = reason;
    this.path = path;
  }
}

const EXPLANATIONS: Readonly<Record<JailReason, string>> = {
  relative: "the path is not absolute",
  malformed: "the path cannot name a file on this system",
  "too-long": "the path, or a name in it, is too long",
  outside: "the path leads outside the session's workspace",
  "not-found": "there is no such file",
  "not-regular": "this is not a regular file",
  "not-a-folder": "a part of the path is not a folder",
  "link-loop": "the links in the path lead in circles",
  "read-only": "the file is read-only",
  changed: "the path came to lead elsewhere while it was being used",
  binary: "the file does not hold UTF-8 text",
  "too-large": "the file is too large to read at once: ask for a part of it with line and limit",
  "no-access": "the system does not allow access",
  failed: "the operation failed",
};

/** Turns any failure into a JailError that names the path as it was asked for, and no other. */
export function toJailError(path: string, error: unknown): JailError {
  if (error instanceof JailError) {
    return error.path === path ? error : new JailError(error.reason, path);
  }
  return new JailError(reasonOf(codeOf(error)), path, error);
}

/** The system's word for a failure, e.g. `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return String(error.code);
}

/** Pure: what the system's word for a failure means here. */
export function reasonOf(code: string | undefined): JailReason {
  switch (code) {
    case "ENOENT":
      return "not-found";
    case "ENOTDIR":
      return "not-a-folder";
    case "ELOOP":
      return "link-loop";
    case "ENAMETOOLONG":
      return "too-long";
    case "EACCES":
    case "EPERM":
      return "no-access";
    case "EROFS":
      return "read-only";
    case "EISDIR":
      return "not-regular";
    default:
      return "failed";
  }
}

const SHOWN_CHARACTERS = 200;

/** A hostile path may be megabytes long; a message must not be. */
function shorten(path: string): string {
  const shown = path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}…` : path;
  return JSON.stringify(shown);
}

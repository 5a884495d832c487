import { isLongerThan } from "../../../base/index.ts";
import { isAbsoluteIn, type PathStyle, resolvePath, separatorOf } from "../../paths.ts";
import { JailError } from "./errors.ts";

/** The longest path, in bytes: Linux's own limit. Longer paths only cost time. */
const MAX_PATH_BYTES = 4096;

/** The longest name in a path, in bytes, on every common file system. */
const MAX_NAME_BYTES = 255;

/**
 * Pure: the path without `.`, `..` and doubled separators.
 * Throws JailError `relative`, `malformed` or `too-long` for a path that must not be used.
 *
 * `..` is removed as text. If a link comes before it, the system would resolve it differently. That
 * is not a way out of the jail, because the check is on the real path of the opened file.
 */
export function cleanPath(path: string, style: PathStyle): string {
  if (path.includes("\0")) throw new JailError("malformed", path);
  // A lone surrogate has no bytes, so the system would look for some other name.
  if (/\p{Surrogate}/u.test(path)) throw new JailError("malformed", path);
  if (!isAbsoluteIn(style, path)) throw new JailError("relative", path);
  if (isLongerThan(path, MAX_PATH_BYTES)) throw new JailError("too-long", path);
  if (style === "windows" && !isPlainWindowsPath(path)) throw new JailError("malformed", path);
  const clean = resolvePath(path, "", style);
  const names = clean.split(separatorOf(style));
  if (names.some((name) => isLongerThan(name, MAX_NAME_BYTES)))
    throw new JailError("too-long", path);
  return clean;
}

const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:[ .:].*)?$/i;

/**
 * Pure: false for a path that Windows does not read as the path of a plain file: device names in any
 * folder, `\\.\` and `\\?\`, paths without a drive, streams (`file:stream`), and names that end in a
 * dot or a space (which Windows silently drops).
 */
export function isPlainWindowsPath(path: string): boolean {
  if (/^[\\/]{2}[.?][\\/]/.test(path)) return false;
  const rest = path.replace(/^[A-Za-z]:(?=[\\/])/, "");
  const isUnc = /^[\\/]{2}[^\\/]/.test(path);
  if (rest === path && !isUnc) return false;
  return rest
    .split(/[\\/]/)
    .every(
      (name) =>
        name === "." ||
        name === ".." ||
        (!name.includes(":") && !/[. ]$/.test(name) && !WINDOWS_DEVICE.test(name)),
    );
}

/*
 * Paths as text, in the style of the machine they belong to. That machine need not be this one: a
 * workspace may be in a container, in WSL or on another host.
 */

/** How a machine writes its paths. */
export type PathStyle = "posix" | "windows";

export function pathStyle(path: string): PathStyle {
  return /^(?:[A-Za-z]:|\\\\)/.test(path) ? "windows" : "posix";
}

export function separatorOf(style: PathStyle): "/" | "\\" {
  return style === "windows" ? "\\" : "/";
}

/** Pure: whether a path leads to the same place from every folder. */
export function isAbsoluteIn(style: PathStyle, path: string): boolean {
  return style === "windows" ? /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) : path.startsWith("/");
}

/**
 * Pure: the absolute path of `path` as seen from the folder `base`, without `.`, `..` and doubled
 * separators. The style is that of `base`, which must be absolute.
 */
export function resolvePath(
  base: string,
  path: string,
  style: PathStyle = pathStyle(base),
): string {
  return style === "windows" ? resolveWindows(base, path) : resolvePosix(base, path);
}

function resolvePosix(base: string, path: string): string {
  const whole = path.startsWith("/") ? path : `${base}/${path}`;
  return `/${plainNames(whole.split("/")).join("/")}`;
}

interface WindowsPath {
  /** `C:`, `\\server\share` or nothing. */
  readonly device: string;
  /** True if the path starts at the top of its device. */
  readonly isRooted: boolean;
  readonly names: readonly string[];
}

function resolveWindows(base: string, path: string): string {
  const from = parseWindows(base);
  const to = parseWindows(path);
  const device = to.device === "" ? from.device : to.device;
  const isSameDevice = device.toLowerCase() === from.device.toLowerCase();
  const before = to.isRooted || !isSameDevice ? [] : from.names;
  return `${device}\\${plainNames([...before, ...to.names]).join("\\")}`;
}

function parseWindows(path: string): WindowsPath {
  const unc = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path);
  const device = unc ? `\\\\${unc[1]}\\${unc[2]}` : (/^[A-Za-z]:/.exec(path)?.[0] ?? "");
  const rest = path.slice(unc ? unc[0].length : device.length);
  const isRooted = unc !== null || /^[\\/]/.test(rest);
  return { device, isRooted, names: rest.split(/[\\/]/) };
}

/** The names of a path without `.`, `..` and empty ones. `..` at the top stays at the top. */
function plainNames(names: readonly string[]): readonly string[] {
  const plain: string[] = [];
  for (const name of names) {
    if (name === "..") plain.pop();
    else if (name !== "" && name !== ".") plain.push(name);
  }
  return plain;
}

/** Characters that a URL would read as something other than part of a name, as Node encodes them. */
const NOT_IN_A_NAME = /[%\\?#\n\r\t[\]^|]/g;

export function fileUrl(path: string): URL {
  const isWindows = pathStyle(path) === "windows";
  const { device, names } = isWindows ? parseWindows(path) : { device: "", names: path.split("/") };
  const [host = "", share = ""] = device.startsWith("\\\\") ? device.slice(2).split("\\") : [];
  const top = host === "" ? device : share;
  const all = plainNames([top, ...names]).map((name) =>
    name.replace(NOT_IN_A_NAME, encodeURIComponent),
  );
  const isFolder = all.length > 0 && (path.endsWith("/") || (isWindows && path.endsWith("\\")));
  const url = new URL(`file://${host}/`);
  url.pathname = `/${all.join("/")}${isFolder ? "/" : ""}`;
  return url;
}

/** Pure: the last name of a path with `/` between its names. */
export function lastName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

/** Pure: whether a real path is the root or lies below it. Both must be real paths. */
export function isWithin(real: string, root: string, style: PathStyle): boolean {
  if (real === root) return true;
  const sep = separatorOf(style);
  return real.startsWith(root.endsWith(sep) ? root : root + sep);
}

import { isAbsolute, relative, resolve } from "node:path";

/** Makes a path from Droid absolute: models also write paths relative to the session's folder. */
export function absolute(path: string, cwd: string): string {
  return resolve(cwd, path);
}

/** A path for people to read: relative inside the session's folder, absolute outside it. */
export function displayPath(path: string, cwd: string): string {
  const whole = absolute(path, cwd);
  const inside = relative(cwd, whole);
  if (inside === "") return ".";
  return inside.startsWith("..") || isAbsolute(inside) ? whole : inside;
}

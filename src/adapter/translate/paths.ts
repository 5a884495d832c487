import { isAbsolute, relative, resolve } from "node:path";

/** A path of Droid's made absolute: models also write relative ones, meant from the session's folder. */
export function absolute(path: string, cwd: string): string {
  return resolve(cwd, path);
}

/** A path as people read it: relative inside the session's folder, absolute outside of it. */
export function shown(path: string, cwd: string): string {
  const whole = absolute(path, cwd);
  const inside = relative(cwd, whole);
  if (inside === "") return ".";
  return inside.startsWith("..") || isAbsolute(inside) ? whole : inside;
}

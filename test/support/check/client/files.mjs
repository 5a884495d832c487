import { constants } from "node:fs";
import { mkdir, open, readFile, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import process from "node:process";
import { has } from "./options.mjs";
import { invalid, Refusal } from "./requests.mjs";

export async function readText({ path, line, limit }) {
  if (typeof path !== "string") throw invalid("path is needed");
  for (const number of [line, limit]) {
    if (number !== undefined && number !== null && !Number.isInteger(number))
      throw invalid("not an integer");
  }
  if (line === 0) throw invalid("lines count from 1");
  const file = await inside(path);
  const found = await stat(file).catch(() => {
    throw new Refusal(has("missing-is-internal") ? -32603 : -32002, "no such file");
  });
  if (found.isDirectory() && has("folders-are-empty")) return { content: "" };
  if (!found.isFile() && !has("reads-devices")) throw new Refusal(-32603, "not a file");
  let content = decoded(await readFile(file));
  if (has("normalises-newlines")) content = content.replaceAll("\r\n", "\n");
  if (line === undefined && limit === undefined) return { content };
  const lines = content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const start = has("counts-from-zero") ? (line ?? 1) : (line ?? 1) - 1;
  return { content: lines.slice(start, limit === undefined ? undefined : start + limit).join("") };
}

function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: !has("reads-binary") }).decode(bytes);
  } catch {
    throw new Refusal(-32603, "not a text file");
  }
}

export async function writeText({ path, content }) {
  if (typeof path !== "string" || typeof content !== "string")
    throw invalid("path and content are needed");
  const file = await inside(path);
  if (!isAllowed()) throw new Refusal(-32603, "denied");
  await mkdir(dirname(file), { recursive: true });
  const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;
  const follow = has("prefix-jail") ? 0 : O_NOFOLLOW;
  const handle = await open(file, O_WRONLY | O_CREAT | O_TRUNC | follow);
  await handle.writeFile(has("adds-newline") ? `${content}\n` : content);
  await handle.close();
  return {};
}

function isAllowed() {
  return process.argv.includes("--allow");
}

/** The path if it is in the workspace, with links resolved. */
async function inside(path) {
  if (!isAbsolute(path)) {
    if (!has("relative-paths")) throw invalid("the path is relative");
    return resolve(path);
  }
  const root = process.cwd();
  if (has("prefix-jail")) {
    if (!path.startsWith(root)) throw new Refusal(-32603, "outside of the workspace");
    return path;
  }
  const real = await resolved(resolve(path));
  if (has("reads-devices") && real === "/dev/null") return real;
  if (real !== root && !real.startsWith(`${root}${sep}`))
    throw new Refusal(-32603, "outside of the workspace");
  return real;
}

/** Resolves the links of the part of the path that exists. */
async function resolved(path) {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await resolved(parent), basename(path));
  }
}

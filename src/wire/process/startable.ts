import { open } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { isExecutable } from "./executable.ts";

/**
 * Whether POSIX finds a command and can execute it: a binary, or a script whose interpreter is there.
 * Never rejects. False without a PATH, for which systems have different defaults.
 */
export async function isStartable(
  command: string,
  cwd: string,
  path: string | undefined,
): Promise<boolean> {
  const folders = command.includes("/") ? [""] : (path?.split(delimiter) ?? []);
  for (const folder of folders) {
    const file = resolve(cwd, folder, command);
    if (await isExecutable(file)) return hasLoader(file);
  }
  return false;
}

const HEAD_BYTES = 256;

async function hasLoader(path: string): Promise<boolean> {
  const head = await headOf(path).catch(() => "");
  if (head.startsWith("\x7fELF")) return true;
  const interpreter = /^#![ \t]*(\/\S+)/.exec(head)?.[1];
  return interpreter !== undefined && isExecutable(interpreter);
}

async function headOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}

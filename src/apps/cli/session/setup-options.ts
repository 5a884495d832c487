import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { SelectedAgent } from "../agents/select.ts";
import { usageError } from "../shell/exit.ts";
import { absolute } from "../prompt/mentions.ts";
import { MIB, readGivenFile } from "../shell/regular-file.ts";
import type { Context } from "../context/context.ts";

/** The folders of `--add-dir`. Throws a usage error for one that is not a folder. */
export async function moreFolders(
  { values, io }: Pick<Context, "values" | "io">,
  { remote }: Pick<SelectedAgent, "remote">,
): Promise<readonly string[] | undefined> {
  const given = values.list("add-dir");
  if (given.length === 0) return undefined;
  // A folder on a server cannot be checked here.
  if (remote) return given;
  return Promise.all(
    given.map(async (folder) => {
      const path = resolve(io.cwd, folder);
      const isFolder = await stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isFolder) throw usageError(`--add-dir ${folder} is not a folder`);
      return path;
    }),
  );
}

/** The text of `--system-prompt`, or of the file that it names after an `@`. Throws a usage error. */
export async function instructionsOf({
  values,
  io,
}: Pick<Context, "values" | "io">): Promise<string | undefined> {
  const given = values.text("system-prompt");
  if (given === undefined) return undefined;
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const text =
    file === undefined
      ? given
      : (await readGivenFile(absolute(file, io), file, { maxBytes: MIB })).toString("utf8");
  if (text.trim() === "") throw usageError("--system-prompt is empty");
  return text;
}

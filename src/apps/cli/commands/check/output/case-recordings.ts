import { join } from "node:path";
import type { CaseTranscript } from "../../../../../conformance/check/index.ts";
import type { CheckedSide } from "../../../../../conformance/index.ts";
import { createRedactor, writePrivate, messageOf } from "../../../../../base/index.ts";
import { recorder } from "../../../../../transport/wire/index.ts";
import { recordFolder } from "../../../connect/recording.ts";
import { usageError } from "../../../shell/exit.ts";
import type { Io } from "../../../shell/io.ts";

/** Recordings of one requirement that are kept: a rule about all traffic can break in every case. */
const MAX_PER_ID = 5;

/**
 * Writes the connections of failed cases to a folder, one file each, with secrets removed. `dragoman replay`
 * plays the agent's part of them.
 */
export class CaseRecordings {
  readonly #folder: string;
  readonly #side: CheckedSide;
  readonly #startedAt: number;
  readonly #counts = new Map<string, number>();
  readonly #writes: Promise<void>[] = [];
  #failure: unknown;

  private constructor(folder: string, side: CheckedSide, startedAt: number) {
    this.#folder = folder;
    this.#side = side;
    this.#startedAt = startedAt;
  }

  /** Creates the folder of `--record-dir`. Throws a usage error if that fails. */
  static async open(
    folder: string | undefined,
    { cwd, now }: Pick<Io, "cwd" | "now">,
    side: CheckedSide,
  ): Promise<CaseRecordings | undefined> {
    if (folder === undefined) return undefined;
    return new CaseRecordings(await recordFolder(folder, cwd), side, now());
  }

  /** Writes a connection, in a file for each requirement that failed on it. */
  add({ ids, lines, stderr }: CaseTranscript, secrets: readonly string[]): void {
    let text = "";
    const record = recorder((line) => (text += line), { secrets });
    for (const { ms, direction, line } of lines)
      record({ at: this.#startedAt + ms, direction: this.#seenByClient(direction), line });
    const errors = createRedactor(secrets).text(stderr);
    for (const id of ids) {
      const count = (this.#counts.get(id) ?? 0) + 1;
      this.#counts.set(id, count);
      if (count > MAX_PER_ID || text === "") continue;
      const name = count === 1 ? id : `${id}.${count}`;
      this.#write(`${name}.jsonl`, text);
      if (errors !== "") this.#write(`${name}.stderr.txt`, errors);
    }
  }

  /** Waits until everything is written. Throws a usage error if something could not be written. */
  async end(): Promise<void> {
    await Promise.all(this.#writes);
    if (this.#failure !== undefined)
      throw usageError(`could not write to --record-dir: ${messageOf(this.#failure)}`);
  }

  /** A recording has the directions that the client sees. In a check of a client, the checker is the agent. */
  #seenByClient(direction: "in" | "out"): "in" | "out" {
    if (this.#side === "agent") return direction;
    return direction === "in" ? "out" : "in";
  }

  #write(name: string, text: string): void {
    const written = writePrivate(join(this.#folder, name), text).catch((error: unknown) => {
      this.#failure ??= error;
    });
    this.#writes.push(written);
  }
}

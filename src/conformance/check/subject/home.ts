import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type EnvOverlay, randomId } from "../../../base/index.ts";

/** A proxy that refuses every connection, so that nothing gets beyond loopback. */
const NOWHERE = "http://127.0.0.1:9";

/** The contents of files, by their path in a folder. */
export type ScratchFiles = Readonly<Record<string, string | Uint8Array>>;

/** The folders of one subject: its home and temp folder, and room for workspaces. */
export class ScratchPlace {
  readonly root: string;
  readonly home: string;
  /** A value that the subject gets in its environment and must not show. */
  readonly secret: string;
  #made = 0;

  private constructor(root: string) {
    this.root = root;
    this.home = join(root, "home");
    this.secret = `sk-check-${randomId().replaceAll("-", "")}`;
  }

  static async create(): Promise<ScratchPlace> {
    // Agents report resolved paths, which would never equal a path through a link.
    const root = await realpath(await mkdtemp(join(tmpdir(), "dragoman-check-")));
    const place = new ScratchPlace(root);
    await mkdir(place.home);
    await mkdir(join(root, "tmp"));
    return place;
  }

  /** Creates a folder to work in, with these files. */
  async workspace(files: ScratchFiles = {}): Promise<string> {
    const folder = join(this.root, `work-${++this.#made}`);
    await mkdir(folder);
    await writeAll(folder, files);
    return folder;
  }

  /** An overlay that leaves nothing of the user's environment except the PATH. */
  env(): EnvOverlay {
    const { home, root } = this;
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    return {
      ...none,
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      // Windows programs do not start without these.
      ...windowsVariables(home),
      HOME: home,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_STATE_HOME: join(home, ".local/state"),
      XDG_CACHE_HOME: join(home, ".cache"),
      TMPDIR: join(root, "tmp"),
      LANG: "C.UTF-8",
      HTTP_PROXY: NOWHERE,
      HTTPS_PROXY: NOWHERE,
      NO_PROXY: "127.0.0.1,localhost",
      DRAGOMAN_CHECK_API_KEY: this.secret,
    };
  }

  async write(files: ScratchFiles): Promise<void> {
    await writeAll(this.home, files);
  }

  /** Removes the folders, unless the subject has made files that its user cannot remove. */
  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  }
}

function windowsVariables(home: string): EnvOverlay {
  if (process.platform !== "win32") return {};
  const { SystemRoot, PATHEXT, ComSpec } = process.env;
  return { SystemRoot, PATHEXT, ComSpec, USERPROFILE: home, TEMP: home, TMP: home };
}

async function writeAll(folder: string, files: ScratchFiles): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

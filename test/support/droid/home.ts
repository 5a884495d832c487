import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Which model API Droid speaks to the scripted server. */
export type DroidProvider = "generic-chat-completion-api" | "anthropic" | "openai";

export interface DroidHomeOptions {
  /** The scripted server's `url`. */
  readonly modelUrl: string;
  readonly provider?: DroidProvider;
  /** The model's name, which decides about some of the tools it is offered; `mock-1` unless told. */
  readonly model?: string;
  readonly images?: boolean;
  /** More of `settings.json`, or in place of what stands there. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface DroidHome {
  readonly home: string;
  readonly workspace: string;
  /** Everything the child may see of the environment: nothing of the caller's keys or settings. */
  readonly env: Readonly<Record<string, string>>;
  /** What `initialize_session` takes as `modelId`. */
  readonly modelId: string;
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_MODEL = "mock-1";

/** A home and a workspace of their own in the temp folder, with one own-key model pointed at the scripted server. */
export async function createDroidHome(options: DroidHomeOptions): Promise<DroidHome> {
  // Droid reports resolved paths; a temp folder behind a link would never compare equal.
  const root = await realpath(await mkdtemp(join(tmpdir(), "dragoman-droid-")));
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  const temp = join(root, "tmp");
  await mkdir(join(home, ".factory"), { recursive: true });
  await mkdir(workspace);
  await mkdir(temp);
  // Droid opens logins in the user's browser; not in tests.
  await mkdir(join(root, "bin"));
  await writeFile(join(root, "bin", "xdg-open"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(
    join(home, ".factory", "settings.json"),
    JSON.stringify(settingsFor(options), null, 2),
  );
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
  return {
    home,
    workspace,
    env: environment(root, home, temp, options.modelUrl),
    modelId: `custom:${options.model ?? DEFAULT_MODEL}`,
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

export function settingsFor(options: DroidHomeOptions): Record<string, unknown> {
  const provider = options.provider ?? "generic-chat-completion-api";
  const model = {
    model: options.model ?? DEFAULT_MODEL,
    displayName: "Mock",
    // Droid's Anthropic client adds the version to the path by itself.
    baseUrl: provider === "anthropic" ? options.modelUrl : `${options.modelUrl}/v1`,
    apiKey: "not-needed",
    provider,
    maxOutputTokens: 4096,
    ...(options.images === undefined ? {} : { noImageSupport: !options.images }),
  };
  return { customModels: [model], ...options.settings };
}

/** Droid's own services are looked for at the scripted server, which knows none; nothing leaves this machine. */
function environment(
  root: string,
  home: string,
  temp: string,
  nothing: string,
): Record<string, string> {
  // A proxy that refuses every connection.
  const nowhere = "http://127.0.0.1:9";
  return {
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
    FACTORY_API_BASE_URL: nothing,
    FACTORY_APP_BASE_URL_OVERRIDE: nothing,
    FACTORY_TELEMETRY_INGEST_URL: nothing,
    FACTORY_PUBLIC_DOWNLOADS_BASE_URL: nothing,
    FACTORY_ORG_MANAGED_SETTINGS_URL: nothing,
  };
}

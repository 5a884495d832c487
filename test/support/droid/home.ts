import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Which model API Droid speaks to the scripted server. */
type DroidProvider = "generic-chat-completion-api" | "anthropic" | "openai";

export interface DroidHomeOptions {
  /** The `url` of the scripted server. */
  readonly modelUrl: string;
  readonly provider?: DroidProvider;
  /** The name of the model, which decides some of the tools it gets. Default: `mock-1`. */
  readonly model?: string;
  readonly images?: boolean;
  /** Entries of `settings.json`, which are added or replace the generated ones. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export interface DroidHome {
  readonly home: string;
  readonly workspace: string;
  /** The whole environment of the child, without any keys or settings of the caller. */
  readonly env: Readonly<Record<string, string>>;
  /** The `modelId` for `initialize_session`. */
  readonly modelId: string;
  remove(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const DEFAULT_MODEL = "mock-1";

/**
 * Creates a separate home and workspace in the temp folder, with one own-key model that uses the
 * scripted server.
 */
export async function createDroidHome(options: DroidHomeOptions): Promise<DroidHome> {
  // Droid reports resolved paths, so a temp folder behind a link would never compare equal.
  const root = await realpath(await mkdtemp(join(tmpdir(), "dragoman-droid-")));
  const home = join(root, "home");
  const workspace = join(root, "workspace");
  const temp = join(root, "tmp");
  await mkdir(join(home, ".factory"), { recursive: true });
  await mkdir(workspace);
  await mkdir(temp);
  // Droid opens logins in the user's browser, which must not happen in tests.
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

function settingsFor(options: DroidHomeOptions): Record<string, unknown> {
  const provider = options.provider ?? "generic-chat-completion-api";
  const model = {
    model: options.model ?? DEFAULT_MODEL,
    displayName: "Mock",
    // Droid's Anthropic client adds the version to the path itself.
    baseUrl: provider === "anthropic" ? options.modelUrl : `${options.modelUrl}/v1`,
    apiKey: "not-needed",
    provider,
    maxOutputTokens: 4096,
    ...(options.images === undefined ? {} : { noImageSupport: !options.images }),
  };
  return { customModels: [model], ...options.settings };
}

/**
 * Redirects Droid's own services to the scripted server, which has none of them, so that nothing
 * leaves this machine.
 */
function environment(
  root: string,
  home: string,
  temp: string,
  serverUrl: string,
): Record<string, string> {
  // Nothing listens on this port, so every connection through the proxy fails.
  const deadProxy = "http://127.0.0.1:9";
  return {
    PATH: `${join(root, "bin")}:${process.env["PATH"] ?? "/usr/bin:/bin"}`,
    HOME: home,
    TMPDIR: temp,
    LANG: "C.UTF-8",
    HTTP_PROXY: deadProxy,
    HTTPS_PROXY: deadProxy,
    NO_PROXY: "127.0.0.1,localhost",
    FACTORY_API_BASE_URL: serverUrl,
    FACTORY_APP_BASE_URL_OVERRIDE: serverUrl,
    FACTORY_TELEMETRY_INGEST_URL: serverUrl,
    FACTORY_PUBLIC_DOWNLOADS_BASE_URL: serverUrl,
    FACTORY_ORG_MANAGED_SETTINGS_URL: serverUrl,
  };
}

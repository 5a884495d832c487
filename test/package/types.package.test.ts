// The declarations of the package, as compilers of users see them.
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  entries,
  modules,
  node,
  unpackTarball,
  root,
  type Packed,
  type Result,
} from "../support/package.ts";

const success: Result = { code: 0, output: "" };

let packed: Packed;

beforeAll(async () => {
  packed = await unpackTarball();
});

afterAll(() => packed.remove());

interface Check {
  /** Text of the file to check. */
  readonly code: string;
  /** Folder of the compiler in node_modules. Default: the newest one. */
  readonly compiler?: string;
  readonly options?: object;
  /** The folder of the project. Default: one with nothing but the tarball. */
  readonly project?: string;
  /** How the compiler takes the file. Default: module. */
  readonly type?: "commonjs" | "module";
}

let checks = 0;

/** Type-checks one file in the consumer, including the declarations of the package. */
async function check({
  code,
  compiler = "typescript",
  options = {},
  project = packed.consumer,
  type = "module",
}: Check): Promise<Result> {
  const folder = join(project, `check-${checks++}`);
  const compilerOptions = {
    module: "NodeNext",
    target: "ES2022",
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    ...options,
  };
  await mkdir(folder);
  await writeFile(join(folder, "package.json"), JSON.stringify({ type }));
  await writeFile(join(folder, "index.ts"), code);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  return await node([join(modules, compiler, "bin/tsc"), "-p", folder], project);
}

const everyEntry = entries
  // Its types need those of the AI SDK; see below.
  .filter((entry) => entry !== "dragoman/ai")
  .map((entry, index) => `import * as entry${index} from "${entry}";\nvoid entry${index};\n`)
  .join("");

/** Streams: their owner, how to get them, the type of their items. */
const streams = [
  ["Session", "owner.updates()", "SessionEvent"],
  ["AcpClient", "owner.listSessions()", "SessionInfo"],
  ["DroidClient", "owner.updates()", "DroidEvent"],
  ["PromptTurn", "owner", "Update"],
  ["DroidTurn", "owner", "DroidEvent"],
];

/**
 * Compiles only if every stream yields its own type. A type that a compiler does not understand
 * silently counts as `any`, and then there is no error where one is expected.
 */
const readStreams = `
import type { AcpClient, PromptTurn, Session, SessionEvent, SessionInfo, Update } from "dragoman";
import type { DroidClient, DroidEvent, DroidTurn } from "dragoman/droid";
${streams.map(([owner = "", stream = "", item = ""]) => readStream(owner, stream, item)).join("")}`;

function readStream(owner: string, stream: string, item: string): string {
  return `
export async function read${owner}(owner: ${owner}) {
  const stream: AsyncIterable<${item}> = ${stream};
  for await (const each of ${stream}) {
    const item: ${item} = each;
    // @ts-expect-error
    each.nothing;
  }
  const read = await ${stream}[Symbol.asyncIterator]().next();
  // @ts-expect-error
  read.nothing;
  if (read.done) return;
  const item: ${item} = read.value;
  // @ts-expect-error
  read.value.nothing;
}
`;
}

/** The platform's own objects fit the types of the channels. */
const browserChannels = `
import { byteStreamChannel, connectWebSocket, messagePortChannel, webSocketChannel } from "dragoman/wire";
webSocketChannel(new WebSocket("ws://127.0.0.1"));
void connectWebSocket("ws://127.0.0.1", { WebSocket });
messagePortChannel(new MessageChannel().port1);
byteStreamChannel(new TransformStream<Uint8Array, Uint8Array>());
`;

const nodeChannels = `
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import { MessageChannel } from "node:worker_threads";
import { byteStreamChannel, messagePortChannel, nodeStreamChannel } from "dragoman/wire";
nodeStreamChannel(process.stdin, process.stdout);
nodeStreamChannel(new Socket(), new Socket());
byteStreamChannel(Duplex.toWeb(new Socket()));
messagePortChannel(new MessageChannel().port1);
`;

/** How projects in CommonJS are set up. */
function commonjsOptions(compiler: string): object[] {
  // The newest compiler has no older resolution left.
  const moduleResolution = compiler === "typescript" ? "bundler" : "node10";
  return [{ module: "Node16" }, { module: "CommonJS", moduleResolution }];
}

const compilers = ["typescript-5.2", "typescript-5.5", "typescript"];

// The old compilers need several seconds each, and many times that on a busy machine.
describe.each(compilers)("%s", { timeout: 120_000 }, (compiler) => {
  it("understands every entry under nodenext resolution, with Node's types", async () => {
    const types = join(modules, "@types");
    const options = { module: "NodeNext", lib: ["ES2022"], typeRoots: [types], types: ["node"] };
    const code = everyEntry + readStreams + nodeChannels;
    expect(await check({ code, compiler, options })).toEqual(success);
  });

  it("understands every entry under bundler resolution, with the browser's types", async () => {
    const options = { module: "ESNext", moduleResolution: "bundler" };
    const code = everyEntry + readStreams + browserChannels;
    expect(await check({ code, compiler, options })).toEqual(success);
  });

  it.each(commonjsOptions(compiler))(
    "understands every entry in CommonJS with %j",
    async (options) => {
      const code = everyEntry + readStreams.replaceAll("export ", "");
      expect(await check({ code, compiler, options, type: "commonjs" })).toEqual(success);
    },
  );
});

describe("a project with nothing but the tarball", () => {
  it("compiles the examples of the README", async () => {
    const readme = await readFile(join(root, "README.md"), "utf8");
    const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map((match) => match[1] ?? "");
    expect(examples).not.toEqual([]);
    expect(await check({ code: examples.join("\n") })).toEqual(success);
  });

  it("gets a compile error for a name that does not exist", async () => {
    const code = entries.map((entry) => `import { nothing } from "${entry}";\n`).join("");
    const { code: exit, output } = await check({ code });
    expect(exit).not.toBe(0);
    expect(output.match(/error TS2305: .* has no exported member 'nothing'/g)).toHaveLength(
      entries.length,
    );
  });
});

describe("a project with the AI SDK", { timeout: 120_000 }, () => {
  let project: string;

  /** A project with the tarball and these packages. */
  async function projectWith(name: string, packages: readonly string[]): Promise<string> {
    const folder = join(packed.scratch, name);
    await cp(packed.consumer, folder, {
      recursive: true,
      filter: (path) => !/\bcheck-\d+$/.test(path),
    });
    for (const each of packages) {
      const link = join(folder, "node_modules", each);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(modules, each), link, "dir");
    }
    return folder;
  }

  const options = [{ module: "NodeNext" }, { module: "ESNext", moduleResolution: "bundler" }];
  const cases = compilers.flatMap((compiler) =>
    options.map((option) => [compiler, option] as const),
  );

  describe("and nothing unchecked", () => {
    beforeAll(async () => {
      // `@ai-sdk/provider` 4.0.37 uses types of `json-schema`, but does not bring them.
      const packages = ["@ai-sdk/provider", "json-schema", "@types/json-schema"];
      project = await projectWith("provider", packages);
    });

    it.each(cases)("compiles dragoman/ai with %s and %j", async (compiler, option) => {
      const code = `
import type { LanguageModelV4, ProviderV4 } from "@ai-sdk/provider";
import { type AcpProvider, createAcpProvider } from "dragoman/ai";
const provider: AcpProvider = createAcpProvider({ command: "x", session: { cwd: undefined } });
export const asProvider: ProviderV4 = provider;
export const model: LanguageModelV4 = provider("default", { mode: undefined });
// @ts-expect-error
provider.nothing;
// @ts-expect-error
model.nothing;
`;
      expect(await check({ code, compiler, options: option, project })).toEqual(success);
    });

    // Older compilers cannot import the types of an ES module into CommonJS.
    const withModes = compilers.filter((compiler) => compiler !== "typescript-5.2");
    const inCommonjs = withModes.flatMap((compiler) =>
      commonjsOptions(compiler).map((option) => [compiler, option] as const),
    );
    it.each(inCommonjs)(
      "compiles dragoman/ai in CommonJS with %s and %j",
      async (compiler, options) => {
        const code = `
import { createAcpProvider } from "dragoman/ai";
const model = createAcpProvider({ command: "x" })("default");
export const version: "v4" = model.specificationVersion;
// @ts-expect-error
model.nothing;
`;
        const type = "commonjs";
        expect(await check({ code, compiler, options, project, type })).toEqual(success);
      },
    );
  });

  describe("and its own types unchecked, because they do not pass", () => {
    beforeAll(async () => {
      const own = ["ai", "@ai-sdk/gateway", "@ai-sdk/provider", "@ai-sdk/provider-utils"];
      const packages = [...own, "zod", "json-schema", "@types/node", "undici-types"];
      project = await projectWith("ai", packages);
    });

    it.each(cases)("passes a model to streamText with %s and %j", async (compiler, option) => {
      const code = `
import { createProviderRegistry, streamText } from "ai";
import { createAcpProvider } from "dragoman/ai";
const provider = createAcpProvider({ command: "x" });
const result = streamText({ model: provider(), prompt: "x" });
for await (const text of result.textStream) text.length;
createProviderRegistry({ provider }).languageModel("provider:x");
// @ts-expect-error
streamText({ model: 1, prompt: "x" });
`;
      const all = { ...option, skipLibCheck: true, types: ["node"] };
      expect(await check({ code, compiler, options: all, project })).toEqual(success);
    });
  });
});

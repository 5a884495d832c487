// The declarations of the package, as compilers of users see them.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  entries,
  modules,
  node,
  packProject,
  root,
  type Packed,
  type Result,
} from "./support/package.ts";

const success: Result = { code: 0, output: "" };

let packed: Packed;

beforeAll(async () => {
  packed = await packProject();
}, 60_000);

afterAll(() => packed.remove());

interface Check {
  /** Text of the file to check. */
  readonly code: string;
  /** Folder of the compiler in node_modules. Default: the newest one. */
  readonly compiler?: string;
  readonly options?: object;
}

let checks = 0;

/** Type-checks one file in the consumer, including the declarations of the package. */
async function check({ code, compiler = "typescript", options = {} }: Check): Promise<Result> {
  const folder = join(packed.consumer, `check-${checks++}`);
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
  await writeFile(join(folder, "index.ts"), code);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  return await node([join(modules, compiler, "bin/tsc"), "-p", folder], packed.consumer);
}

const everyEntry = entries
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

const compilers = ["typescript-5.2", "typescript-5.5", "typescript"];

// The old compilers need several seconds each, and many times that on a busy machine.
describe.each(compilers)("%s", { timeout: 120_000 }, (compiler) => {
  it("understands every entry under nodenext resolution, with Node's types", async () => {
    const types = join(modules, "@types");
    const options = { module: "NodeNext", lib: ["ES2022"], typeRoots: [types], types: ["node"] };
    expect(await check({ code: everyEntry + readStreams, compiler, options })).toEqual(success);
  });

  it("understands every entry under bundler resolution, with the browser's types", async () => {
    const options = { module: "ESNext", moduleResolution: "bundler" };
    expect(await check({ code: everyEntry + readStreams, compiler, options })).toEqual(success);
  });
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

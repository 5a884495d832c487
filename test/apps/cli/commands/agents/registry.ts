import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { AGENT } from "../../support/bin.ts";

/** A server on the loopback address that gives out files by their paths. */
export interface FileServer {
  readonly url: string;
  /** Its answers, by path. */
  readonly files: Map<string, string | Buffer>;
  /** The paths that were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function serveFiles(): Promise<FileServer> {
  const files = new Map<string, string | Buffer>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "");
    asked.push(path);
    const body = files.get(path);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    files,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function hashOf(bytes: Buffer, name: "sha256" | "sha512"): string {
  const hash = createHash(name).update(bytes);
  return name === "sha256" ? hash.digest("hex") : `sha512-${hash.digest("base64")}`;
}

/** The scripted agent as a program of its own. */
const PROGRAM = `#!/usr/bin/env node\nimport(${JSON.stringify(AGENT)});\n`;

/**
 * Publishes a package with the scripted agent to a server that answers as an npm registry does. Its
 * install script leaves a file behind if it runs. Resolves with its hash.
 */
export async function publish(
  server: FileServer,
  folder: string,
  name: string,
  version: string,
): Promise<string> {
  const source = join(folder, "published", "package");
  await mkdir(source, { recursive: true });
  const scripts = { postinstall: `touch ${join(folder, "script-ran")}` };
  const manifest = { name, version, bin: { "test-agent": "agent.js" }, scripts };
  await writeFile(join(source, "package.json"), JSON.stringify(manifest));
  await writeFile(join(source, "agent.js"), PROGRAM);
  const bytes = await tarball(join(source, ".."), "package");
  const path = `/${name}/-/${version}.tgz`;
  server.files.set(path, bytes);
  const integrity = hashOf(bytes, "sha512");
  const versions = { [version]: { ...manifest, dist: { tarball: server.url + path, integrity } } };
  const metadata = { name, "dist-tags": { latest: version }, versions };
  server.files.set(`/${name}`, JSON.stringify(metadata));
  return integrity;
}

/** An archive with a program in a folder, as agents that are binaries have them, or with a link to one. */
export async function agentArchive(folder: string, link?: string): Promise<Buffer> {
  const source = join(folder, "archive");
  await mkdir(join(source, "bin"), { recursive: true });
  if (link === undefined) await writeFile(join(source, "bin/test-agent"), PROGRAM);
  else await symlink(link, join(source, "bin/test-agent"));
  return tarball(source, "bin");
}

async function tarball(folder: string, entry: string): Promise<Buffer> {
  const file = join(folder, "made.tgz");
  await promisify(execFile)("tar", ["-czf", file, "-C", folder, entry]);
  return readFile(file);
}

/**
 * A stand-in for npm, which takes a second to start: installs the scripted agent as any package, with one
 * hash. It fails for version 9.9.9. Resolves with its folder, for the PATH.
 */
export async function fakeNpm(folder: string): Promise<string> {
  const bin = join(folder, "npm-bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "test-agent"), PROGRAM, { mode: 0o755 });
  const script = `#!/bin/sh
for last; do :; done
name=\${last%@*} version=\${last##*@}
[ "$version" = 9.9.9 ] && { echo "no such version" >&2; exit 1; }
mkdir -p "node_modules/$name" node_modules/.bin
echo '{"bin":{"test-agent":"agent.js"}}' > "node_modules/$name/package.json"
cp ${bin}/test-agent node_modules/.bin/test-agent
echo "{\\"packages\\":{\\"node_modules/$name\\":{\\"version\\":\\"$version\\",\\"integrity\\":\\"sha512-fake\\"}}}" > package-lock.json
`;
  await writeFile(join(bin, "npm"), script, { mode: 0o755 });
  return bin;
}

// The page of dragoman inspect: exported files, and a server as the page expects one.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Download } from "playwright-core";
import { inspectPage } from "../../../scripts/inspect-page.mjs";
import {
  type EmbeddedSession,
  exportPage,
  type Finding,
  pageCsp,
  SessionFindings,
} from "../../../src/apps/inspector/index.ts";
import { importSession } from "../../../src/trace/index.ts";
import { deferred } from "../../../src/base/index.ts";
import type { RecordingEntry } from "../../../src/transport/wire/index.ts";
import { EXAMPLE_HEADER } from "./example.ts";

/** The findings about a recording, as the command computes them. One that may grow has not ended. */
function findingsOf(text: string, isEnded = true): readonly Finding[] {
  const findings = new SessionFindings();
  for (const entry of importSession(text).entries) findings.add(entry);
  if (isEnded) findings.finish();
  return findings.list;
}

/** Descriptions of the fields of one kind of frame. */
const FIELDS = {
  "session/update notification plan": {
    ".method": "The method to call.",
    ".params.sessionId": "The session that this update is about.",
  },
};

/** Files that the page was exported to. */
export class ExportedPages {
  readonly page: string;
  readonly #folder: string;

  private constructor(page: string, folder: string) {
    this.page = page;
    this.#folder = folder;
  }

  static async build(): Promise<ExportedPages> {
    return new ExportedPages(
      await inspectPage(),
      await mkdtemp(join(tmpdir(), "dragoman-inspect-page-")),
    );
  }

  /** Exports recordings, and returns the address of the file. */
  async write(name: string, recordings: readonly string[]): Promise<string> {
    const sessions = recordings.map((text, index) => ({
      info: { id: String(index + 1), name: `${name}-${index + 1}.jsonl`, live: false, losses: [] },
      recording: gzipSync(text).toString("base64"),
      findings: findingsOf(text),
      fields: FIELDS,
    }));
    return this.#write(name, sessions);
  }

  /** Exports a recording of bytes that are packed already, and returns the address of the file. */
  writePacked(name: string, packed: Buffer): Promise<string> {
    const info = { id: "1", name, live: false, losses: [] };
    return this.#write(name, [{ info, recording: packed.toString("base64"), findings: [] }]);
  }

  async #write(name: string, sessions: readonly EmbeddedSession[]): Promise<string> {
    const file = join(this.#folder, `${name}.html`);
    await writeFile(file, exportPage(this.page, sessions));
    return pathToFileURL(file).href;
  }

  /** Keeps a download, and returns the address of the file. */
  async keep(download: Download): Promise<string> {
    const file = join(this.#folder, download.suggestedFilename());
    await download.saveAs(file);
    return pathToFileURL(file).href;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

export type LiveServer = Awaited<ReturnType<typeof serveLive>>;

/** Serves the page and a session that grows. */
export async function serveLive(page: string) {
  const token = "a-token";
  const entries: RecordingEntry[] = [];
  const readers = new Set<ServerResponse>();
  const asked: number[] = [];
  let isLive = true;
  let findingsReady: Promise<void> = Promise.resolve();
  const lineOf = (value: object): string => `${JSON.stringify(value)}\n`;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.setHeader("content-security-policy", pageCsp(page, true));
      response.end(page);
      return;
    }
    if (request.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return;
    }
    if (url.pathname === "/api/sessions") {
      response.end(
        JSON.stringify({ sessions: [{ id: "1", name: "live", live: isLive, losses: [] }] }),
      );
    } else if (url.pathname === "/api/findings") {
      const judged = [EXAMPLE_HEADER, ...entries].map(lineOf).join("");
      const { length } = entries;
      void findingsReady.then(() =>
        response.end(
          JSON.stringify({ v: 1, findings: findingsOf(judged, !isLive), entries: length }),
        ),
      );
    } else {
      const from = Number(url.searchParams.get("from"));
      asked.push(from);
      response.write(lineOf(EXAMPLE_HEADER));
      for (const entry of entries.slice(from)) response.write(lineOf(entry));
      if (isLive) readers.add(response);
      else response.end();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    token,
    /** The values of `from` that the page asked with. */
    asked,
    /** Adds entries, and sends them to every reader. */
    add(more: readonly RecordingEntry[]): void {
      entries.push(...more);
      for (const reader of readers) for (const entry of more) reader.write(lineOf(entry));
    },
    /** Lets requests for findings wait until the returned function is called. */
    holdFindings(): () => void {
      const { promise, resolve } = deferred();
      findingsReady = promise;
      return () => resolve(undefined);
    },
    /** Cuts the connections of the page. */
    drop(): void {
      for (const reader of readers) reader.destroy();
      readers.clear();
    },
    end(): void {
      isLive = false;
      for (const reader of readers) reader.end();
      readers.clear();
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

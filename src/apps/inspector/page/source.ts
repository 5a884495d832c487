import type { PageSession } from "../export/page.ts";
import type { SessionFields, Finding } from "../findings.ts";

export interface PageFindings {
  readonly findings: readonly Finding[];
  readonly entries: number;
}

export interface PageSource {
  /** Whether a server answers; otherwise the data is inside the page. */
  readonly isServed: boolean;
  /** The sessions that can be shown. Rejects with a {@link SourceError}. */
  sessions(): Promise<readonly PageSession[]>;
  /** The lines of a recording after the first `from` entries. Rejects with a {@link SourceError}. */
  recording(id: string, from: number): Promise<ReadableStream<Uint8Array>>;
  /** The findings so far. Rejects with a {@link SourceError}. */
  findings(id: string): Promise<PageFindings>;
  /** The descriptions of the fields. Rejects with a {@link SourceError}. */
  fields(id: string): Promise<SessionFields>;
}

/** The reasons why data cannot be had. */
export type SourceFailure = "refused" | "gone" | "unreachable" | "damaged" | "large";

const FAILURES: Readonly<Record<SourceFailure, string>> = {
  refused: "This link is not valid anymore. Open the address that the command printed last.",
  gone: "The server does not know this session anymore.",
  unreachable: "The server does not answer. The command that printed the address may have ended.",
  damaged: "The data inside this page is damaged.",
  large: "The data inside this page is too large.",
};

/** How much base64 is decoded at once. Four characters are three bytes. */
const PIECE_CHARS = 4 * 32 * 1024;

/** The data is unavailable. The message is a sentence for people. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly failure: SourceFailure;

  constructor(failure: SourceFailure) {
    super(FAILURES[failure]);
    this.failure = failure;
  }
}

/** The part of a document that holds data. */
interface DataDocument {
  getElementById(
    id: string,
  ): { readonly textContent: string | null; readonly remove: () => void } | null;
}

/** The sessions inside the page; undefined if it has none and must ask a server. */
export function embeddedSource(document: DataDocument): PageSource | undefined {
  const list = document.getElementById("sessions");
  if (!list) return undefined;
  const textOf = (id: string): string => document.getElementById(id)?.textContent ?? "";
  return {
    isServed: false,
    sessions: () => read((): readonly PageSession[] => JSON.parse(list.textContent ?? "")),
    recording: (id) =>
      read(() => {
        const element = document.getElementById(`recording-${id}`);
        const text = element?.textContent ?? "";
        // The model has everything from here on, so the text would only take memory.
        element?.remove();
        return fromBase64(text).pipeThrough(new DecompressionStream("gzip"));
      }),
    fields: (id) => read((): SessionFields => JSON.parse(textOf(`fields-${id}`))),
    // The whole recording was judged before it was put into the page.
    findings: (id) =>
      read(() => {
        const judged: PageFindings = JSON.parse(textOf(`findings-${id}`));
        return { ...judged, entries: Infinity };
      }),
  };
}

/**
 * Reads data as a promise. The server and the export are of the same version as the page, so their JSON has the
 * types that it expects.
 */
async function read<T>(data: () => T): Promise<T> {
  try {
    return data();
  } catch {
    throw new SourceError("damaged");
  }
}

export function servedSource(token: string | undefined): PageSource {
  const ask = async (path: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${token ?? ""}` };
    const response = await fetch(path, { headers }).catch(() => {
      throw new SourceError("unreachable");
    });
    if (response.ok) return response;
    const { status } = response;
    throw new SourceError(
      status === 401 || status === 403 ? "refused" : status < 500 ? "gone" : "unreachable",
    );
  };
  const text = async (path: string): Promise<string> => {
    const response = await ask(path);
    return response.text().catch(() => {
      throw new SourceError("unreachable");
    });
  };
  return {
    isServed: true,
    sessions: async () => {
      const json = await text("/api/sessions");
      return read((): readonly PageSession[] => JSON.parse(json).sessions);
    },
    recording: async (id, from) => {
      const { body } = await ask(`/api/recording?session=${id}&from=${from}`);
      if (!body) throw new SourceError("unreachable");
      return body;
    },
    fields: async (id) => {
      const json = await text(`/api/fields?session=${id}`);
      return read((): SessionFields => JSON.parse(json));
    },
    findings: async (id) => {
      const json = await text(`/api/findings?session=${id}`);
      return read((): PageFindings => JSON.parse(json));
    },
  };
}

/** The bytes of base64, piece by piece, so that a long text neither blocks the page nor exists twice. */
function fromBase64(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      if (at >= text.length) return controller.close();
      const binary = atob(text.slice(at, at + PIECE_CHARS));
      at += PIECE_CHARS;
      const bytes = new Uint8Array(binary.length);
      for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
      controller.enqueue(bytes);
    },
  });
}

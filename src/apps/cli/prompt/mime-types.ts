/** File types that people mention to coding agents, by their endings. For others the agent decides. */
const ENDINGS: Readonly<Record<string, string>> = {
  "application/gzip": "gz",
  "application/json": "json",
  "application/jsonl": "jsonl",
  "application/pdf": "pdf",
  "application/sql": "sql",
  "application/toml": "toml",
  "application/wasm": "wasm",
  "application/x-sh": "bash sh",
  "application/xml": "xml",
  "application/yaml": "yaml yml",
  "application/zip": "zip",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "image/avif": "avif",
  "image/bmp": "bmp",
  "image/gif": "gif",
  "image/jpeg": "jpeg jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "image/x-icon": "ico",
  "text/css": "css",
  "text/csv": "csv",
  "text/html": "htm html",
  "text/javascript": "cjs js mjs",
  "text/jsx": "jsx",
  "text/markdown": "md",
  "text/mdx": "mdx",
  "text/plain": "log txt",
  "text/tab-separated-values": "tsv",
  "text/tsx": "tsx",
  "text/typescript": "ts",
  "text/x-c": "c h",
  "text/x-c++": "cc cpp hpp",
  "text/x-csharp": "cs",
  "text/x-dart": "dart",
  "text/x-diff": "diff patch",
  "text/x-go": "go",
  "text/x-java": "java",
  "text/x-kotlin": "kt",
  "text/x-lua": "lua",
  "text/x-php": "php",
  "text/x-python": "py",
  "text/x-ruby": "rb",
  "text/x-rust": "rs",
  "text/x-scss": "scss",
  "text/x-swift": "swift",
  "video/mp4": "mp4",
};

const BY_ENDING = new Map(
  Object.entries(ENDINGS).flatMap(([type, endings]) =>
    endings.split(" ").map((ending) => [ending, type] as const),
  ),
);

const BY_NAME = new Map([
  ["dockerfile", "text/x-dockerfile"],
  ["license", "text/plain"],
  ["makefile", "text/x-makefile"],
  ["readme", "text/plain"],
]);

/** The likely mime type of a file or of a URL's path, by its name; undefined if unknown. */
export function mimeTypeOf(name: string): string | undefined {
  const base = name
    .slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const dot = base.lastIndexOf(".");
  return dot === -1 ? BY_NAME.get(base) : BY_ENDING.get(base.slice(dot + 1));
}

/** The type of an image by its first bytes; undefined if it is not one that agents accept. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (head.startsWith("\u0089PNG\r\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF8")) return "image/gif";
  if (head.startsWith("RIFF") && head.slice(8) === "WEBP") return "image/webp";
  return undefined;
}

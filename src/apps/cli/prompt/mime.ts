/** File types that people mention to coding agents. For others the agent decides. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  avif: "image/avif",
  bash: "application/x-sh",
  bmp: "image/bmp",
  c: "text/x-c",
  cc: "text/x-c++",
  cjs: "text/javascript",
  cpp: "text/x-c++",
  cs: "text/x-csharp",
  css: "text/css",
  csv: "text/csv",
  dart: "text/x-dart",
  diff: "text/x-diff",
  gif: "image/gif",
  go: "text/x-go",
  gz: "application/gzip",
  h: "text/x-c",
  hpp: "text/x-c++",
  htm: "text/html",
  html: "text/html",
  ico: "image/x-icon",
  java: "text/x-java",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  jsonl: "application/jsonl",
  jsx: "text/jsx",
  kt: "text/x-kotlin",
  log: "text/plain",
  lua: "text/x-lua",
  md: "text/markdown",
  mdx: "text/mdx",
  mjs: "text/javascript",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  patch: "text/x-diff",
  pdf: "application/pdf",
  php: "text/x-php",
  png: "image/png",
  py: "text/x-python",
  rb: "text/x-ruby",
  rs: "text/x-rust",
  scss: "text/x-scss",
  sh: "application/x-sh",
  sql: "application/sql",
  svg: "image/svg+xml",
  swift: "text/x-swift",
  toml: "application/toml",
  ts: "text/typescript",
  tsv: "text/tab-separated-values",
  tsx: "text/tsx",
  txt: "text/plain",
  wasm: "application/wasm",
  wav: "audio/wav",
  webp: "image/webp",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: "text/x-dockerfile",
  license: "text/plain",
  makefile: "text/x-makefile",
  readme: "text/plain",
};

/** The likely mime type of a file or of a URL's path, by its name; undefined if unknown. */
export function mimeTypeOf(name: string): string | undefined {
  const base = name
    .slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1)
    .toLowerCase();
  const dot = base.lastIndexOf(".");
  if (dot === -1) return lookUp(BY_NAME, base);
  return lookUp(BY_EXTENSION, base.slice(dot + 1));
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

function lookUp(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

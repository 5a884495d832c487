const INSPECT = ["inspect"] as const;
/** The commands that can show their sessions on a page. */
const SHOWING = [...INSPECT, "prompt", "chat", "proxy", "serve"] as const;

/** The formats of `--findings`. */
export const FINDINGS_FORMATS = ["text", "json"] as const;

/** The options of `inspect`, and of `--inspect` with other commands. */
export const INSPECT_OPTIONS = [
  {
    name: "inspect",
    group: "Inspect",
    on: ["prompt", "chat", "proxy", "serve"],
    help: "show everything that is said, live, on a page in the browser",
  },
  {
    name: "export",
    value: "FILE",
    group: "Inspect",
    on: INSPECT,
    help: "write the page with the recording into one HTML file, which works offline",
  },
  {
    name: "findings",
    value: "FORMAT",
    words: FINDINGS_FORMATS,
    group: "Inspect",
    on: INSPECT,
    help: "print where the protocol was broken, as text or json, and exit; 1 if there are errors",
  },
  {
    name: "no-open",
    group: "Inspect",
    on: SHOWING,
    help: "print the address of the page, and do not open a browser",
  },
  {
    name: "port",
    value: "N",
    group: "Inspect",
    on: SHOWING,
    help: "port of the page (default: a free one)",
  },
  {
    name: "url-file",
    value: "FILE",
    group: "Inspect",
    on: SHOWING,
    help: "write the address of the page, with its token, to a file that only you can read",
  },
  {
    name: "keep-secrets",
    group: "Inspect",
    on: SHOWING,
    help: "show secrets too, which are removed otherwise; the page says so",
  },
] as const;

const SERVE = ["serve"] as const;
/** The commands that serve clients. */
const SERVERS = [...SERVE, "gateway"] as const;
/** The commands that run until a signal ends them. */
const LISTENERS = [...SERVERS, "worker"] as const;

/** Whose disk and terminals an agent on a server works with. */
export const FILES_CHOICES = ["server", "client"] as const;

/** The options of `serve` and of the commands that serve a fleet. */
export const SERVE_OPTIONS = [
  {
    name: "listen",
    value: "HOST:PORT",
    group: "Serve",
    on: LISTENERS,
    help: "address to listen on (default: port 8790 of this machine only; worker: metrics there)",
  },
  {
    name: "port-file",
    value: "FILE",
    group: "Serve",
    on: LISTENERS,
    help: "write the port number to this file once the server listens",
  },
  {
    name: "tokens",
    value: "FILE",
    group: "Serve",
    on: SERVERS,
    help: "JSON file with hashes of tokens and their rights, in place of one token for everything",
  },
  {
    name: "tls-cert",
    value: "FILE",
    group: "Serve",
    on: SERVERS,
    help: "certificate in PEM format; read again when it changes",
  },
  {
    name: "tls-key",
    value: "FILE",
    group: "Serve",
    on: SERVERS,
    help: "key of the certificate",
  },
  {
    name: "insecure",
    group: "Serve",
    on: LISTENERS,
    help: "listen on other addresses without TLS: tokens travel unencrypted",
  },
  {
    name: "host-name",
    value: "NAME",
    multiple: true,
    group: "Serve",
    on: SERVERS,
    help: "name by which clients reach the server, such as agents.example",
  },
  {
    name: "origin",
    value: "ORIGIN",
    multiple: true,
    group: "Serve",
    on: SERVERS,
    help: "web page that may connect, such as https://editor.example",
  },
  {
    name: "root",
    value: "[NAME=]DIR",
    multiple: true,
    group: "Serve",
    on: [...SERVE, "worker"],
    help: "folder that sessions may work in (default: the working folder)",
  },
  {
    name: "files",
    value: "WHOSE",
    words: FILES_CHOICES,
    group: "Serve",
    on: SERVE,
    help: "whose files and terminals the agent gets: server (default) or client",
  },
  {
    name: "grace",
    value: "TIME",
    group: "Serve",
    on: SERVE,
    help: "how long turns go on after a client's connection is lost (default: 30s)",
  },
  {
    name: "drain-timeout",
    value: "TIME",
    group: "Serve",
    on: LISTENERS,
    help: "how long running turns may take after SIGTERM (default: 60s)",
  },
  {
    name: "agent-idle",
    value: "TIME",
    group: "Serve",
    on: ["proxy", ...SERVE],
    help: "end an agent that was not used for this long; the next use starts it again (serve: 10m)",
  },
  {
    name: "session-idle",
    value: "TIME",
    group: "Serve",
    on: [...SERVE, "worker"],
    help: "close a session that was not used for this long (default: 30m; worker: 10m)",
  },
  {
    name: "connection-idle",
    value: "TIME",
    group: "Serve",
    on: SERVERS,
    help: "end a connection without traffic after this time (default: 30m)",
  },
  {
    name: "stall-timeout",
    value: "TIME",
    group: "Serve",
    on: SERVERS,
    help: "cut off a client that reads nothing for this long (default: 60s)",
  },
  {
    name: "max-connections",
    value: "N",
    group: "Serve",
    on: SERVERS,
    help: "connections that may be open at once (default: 256)",
  },
  {
    name: "max-sessions",
    value: "N",
    group: "Serve",
    on: LISTENERS,
    help: "sessions that one token may have open (default: 100; worker: in all, 16)",
  },
  {
    name: "max-message",
    value: "MIB",
    group: "Serve",
    on: SERVERS,
    help: "longest message of a client, in MiB (default: 16)",
  },
] as const;

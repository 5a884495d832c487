import type { Overrides } from "../../../base/index.ts";
import type { EngineLimits } from "../engine.ts";

/** How a process proves to a NATS server who it is. */
export type NatsCredentials =
  /** A file with a JWT and a seed, as `nsc` writes it. It is read again for each connection. */
  | { readonly kind: "file"; readonly path: string }
  /** A file with the seed of an NKey, as `dragoman fleet config` writes it. It is read once. */
  | { readonly kind: "nkey"; readonly path: string }
  /** A user of the server's configuration. */
  | {
      readonly kind: "password";
      /** The name. */
      readonly user: string;
      /** The password. */
      readonly password: string;
    }
  /** A token of the server's configuration. */
  | {
      readonly kind: "token";
      /** The token. */
      readonly token: string;
    };

/** Certificates for TLS, as paths of PEM files. */
export interface NatsTls {
  /** The authorities that sign the server's certificate. Default: those of Node. */
  readonly caFile?: string | undefined;
  /** The certificate of this process, if the server asks for one. */
  readonly certFile?: string | undefined;
  /** The key of `certFile`. */
  readonly keyFile?: string | undefined;
}

/** How long and how much the streams of a fleet keep. */
export interface NatsStorage {
  /** How many servers store each entry. Default: 3 in a cluster, and otherwise 1. */
  readonly replicas?: 1 | 3 | 5 | undefined;
  /** How long entries of logs, large values and jobs are kept, in milliseconds. Default: 7 days. */
  readonly maxAgeMs?: number | undefined;
  /** The most entries of one session. The oldest go first. Default: 100,000. */
  readonly maxEntries?: number | undefined;
  /** The most that the logs of all sessions take, in bytes. The oldest go first. Default: no limit. */
  readonly maxBytes?: number | undefined;
}

/** Options of {@link connectNats}. */
export interface NatsOptions {
  /** The addresses of one or more servers, such as `nats://host:4222`. Others are found through them. */
  readonly servers: string | readonly string[];
  /** A name for this process, for those who watch the servers. Default: none. */
  readonly name?: string | undefined;
  /** Who this process is. Default: the servers accept everyone. */
  readonly credentials?: NatsCredentials | undefined;
  /** Uses TLS, with these certificates. Default: TLS only if a server asks for it. */
  readonly tls?: NatsTls | undefined;
  /** The first part of the names of all streams, buckets and subjects. Default: `dr`. */
  readonly prefix?: string | undefined;
  /** The subjects of the answers to this process, which other roles cannot read. Default: `_INBOX`. */
  readonly inboxPrefix?: string | undefined;
  /** Creates missing streams and buckets. `false` suits credentials that do not allow it. Default: true. */
  readonly setup?: boolean | undefined;
  /** How long and how much is kept. It counts when the streams are created. */
  readonly storage?: NatsStorage | undefined;
  /** Changes to the limits. */
  readonly limits?: Overrides<EngineLimits> | undefined;
}

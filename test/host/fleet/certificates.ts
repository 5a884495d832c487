// Certificates of an authority of one's own, made with openssl.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the tests can make certificates. */
export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** The title of a test that needs openssl. */
export function needsOpenssl(title: string): string {
  return hasOpenssl ? title : `${title} (skipped: openssl is not installed)`;
}

/** A certificate and its key, as paths. */
interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** An authority, and everything that it signs. */
export interface Authority {
  readonly caFile: string;
  /** A certificate for this name, and for 127.0.0.1. */
  sign(name: string): CertificateFiles;
  remove(): void;
}

export function createAuthority(): Authority {
  const folder = mkdtempSync(join(tmpdir(), "dragoman-tls-"));
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: readonly string[]): void =>
    void execFileSync("openssl", args, { stdio: "pipe" });
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const request = (name: string): readonly string[] => [
    "req",
    ...curve,
    "-subj",
    `/CN=${name}`,
    "-keyout",
    file(`${name}.key`),
  ];
  const [caFile, caKey] = [file("ca.pem"), file("ca.key")];
  openssl(...request("ca"), "-x509", "-days", "2", "-out", caFile);
  const extensions = file("extensions");
  writeFileSync(extensions, "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  return {
    caFile,
    sign: (name) => {
      const [certFile, keyFile] = [file(`${name}.pem`), file(`${name}.key`)];
      openssl(...request(name), "-out", file(`${name}.csr`));
      const signed = ["-CA", caFile, "-CAkey", caKey, "-CAcreateserial", "-days", "2"];
      const io = ["-in", file(`${name}.csr`), "-out", certFile, "-extfile", extensions];
      openssl("x509", "-req", ...signed, ...io);
      return { certFile, keyFile };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

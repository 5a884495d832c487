import { DragomanError } from "../../../base/index.ts";
import { isIP } from "node:net";
import { hostInUrl } from "../../../transport/remote/index.ts";
import { isLoopback, LOOPBACK_NAMES } from "../../../transport/wire/index.ts";
import { lookup } from "node:dns/promises";
import { networkInterfaces } from "node:os";

const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"] as const;

/** A server would be reachable from other machines, without encryption. */
export class ExposedAddressError extends DragomanError {
  override readonly name = "ExposedAddressError";
  /** The address that is not one of this machine alone. */
  readonly address: string;

  /** Describes an address. */
  constructor(address: string) {
    super(
      "not_allowed",
      `${address} can be reached from other machines, and tokens would travel unencrypted: use TLS, or allow it explicitly`,
    );
    this.address = address;
  }
}

function isWildcard(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** The addresses to listen on. Host names are resolved first; rejects if that fails. Default: loopback. */
export async function listenAddresses(host: string | undefined): Promise<readonly string[]> {
  if (host === undefined) return LOOPBACK_ADDRESSES;
  if (isIP(host) !== 0) return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
}

export function expectLoopbackAddresses(addresses: readonly string[]): void {
  const exposed = addresses.find((address) => !isLoopback(address));
  if (exposed !== undefined) throw new ExposedAddressError(exposed);
}

/** The accepted `Host` names: loopback names, the given host and its addresses. */
export function namesOf(host: string | undefined, addresses: readonly string[]): readonly string[] {
  const own = addresses.some(isWildcard) ? ownAddresses() : [];
  const names = [...(host === undefined ? [] : [host]), ...addresses, ...own].map(hostInUrl);
  return [...new Set([...LOOPBACK_NAMES, ...names])];
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((list) =>
    (list ?? []).map(({ address }) => address),
  );
}

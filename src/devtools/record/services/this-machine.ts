/**
 * This machine: its own addresses and host names.
 *
 * Spec: spec/guard.md
 */
import { BlockList, isIP } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Whether the address is this machine's own. */
export function isLoopback(address = ""): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  try {
    return loopback.check(address, version === 4 ? "ipv4" : "ipv6");
  } catch {
    return false;
  }
}

/** `localhost`, `*.localhost`, 127.x.x.x and `[::1]`, with any port, in any case, with or without the final dot. */
export function isLocalHost(host: string): boolean {
  const name = hostName(host);
  return (
    name !== undefined && (name === "[::1]" || name === "localhost" || isSubdomainOfLocalhost(name) || is127(name))
  );
}

const isSubdomainOfLocalhost = (name: string): boolean =>
  name.endsWith(".localhost") &&
  name.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));

const is127 = (name: string): boolean => name.startsWith("127.") && isIP(name) === 4;

/** The name in a Host value, lower case, without port and final dot, or undefined when it is malformed. */
export function hostName(host: string): string | undefined {
  if (host.length > 261) return undefined;
  const parts = /^(\[::1\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(host.toLowerCase());
  const name = parts?.[1];
  return name?.endsWith(".") === true ? name.slice(0, -1) : name;
}

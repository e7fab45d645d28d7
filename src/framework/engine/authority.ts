/**
 * Host values: a name or an address, and a port behind it or not (RFC 9112 §3.2, RFC 3986 §3.2.2).
 *
 *   app.test:8080 · 127.0.0.1 · [::1]:80 · caf%C3%A9 ──▶ true
 *   user@host · host/path · a,b · a b · [::1 · exa<mple · x:99999 ──▶ false
 *
 * Whoever takes "user@host" for one host and somebody behind for another is deceived, so nobody may guess. A comma is
 * what several fields are joined by: of all that the grammar allows in a name it alone is refused.
 *
 * Spec: spec/routing.md (ROUTE), spec/engines.md (ENGINE)
 */

/** Names of the RFC without the comma; then a port. One of each character fits in one way, so it is linear. */
const named = /^(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+(?::(\d*))?$/;

const bracketed = /^\[[0-9A-Fa-f:.]{2,45}\](?::(\d*))?$/;

/** Values that were found good: an app is known by a few. Bounded, since anybody can send others. */
const good: Set<string> = new Set();
const mostGood = 64;
const longestGood = 256;
let last = "";

/** Is that the value of a Host? An empty one is: it stands for no authority at all. */
export function isHost(value: string): boolean {
  if (value === last || good.has(value)) return true;
  if (!isSound(value)) return false;
  if (value.length > longestGood) return true;
  if (good.size < mostGood) good.add(value);
  last = value;
  return true;
}

function isSound(value: string): boolean {
  if (value === "") return true;
  const found = value.startsWith("[") ? bracketed.exec(value) : named.exec(value);
  if (found === null || Number(found[1] ?? "") > 65_535) return false;
  return !value.startsWith("[") || URL.canParse(`http://${value}/`);
}

/** Is the target one that HTTP/1.1 allows? Without a fragment, and where it names a host, with a sound one. */
export function isSoundTarget(target: string): boolean {
  if (target.includes("#")) return false;
  if (target.charCodeAt(0) === 47) return true;
  const authority = /^https?:\/\/([^/?]*)/i.exec(target)?.[1];
  return authority === undefined || (authority !== "" && isHost(authority));
}

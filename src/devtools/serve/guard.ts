/**
 * Guard: which requests may use devtools. Every devtools path, existing or not, goes through it.
 *
 *   peer on this machine ─▶ no proxy in between ─▶ one local Host ─▶ no foreign Origin ─▶ no foreign page ─▶ token ─▶ allowed
 *        │ 404, empty              └──────────────── 403, which check failed ────────────────────────────────┘
 *
 * All checks together, because each alone has been bypassed in a well-known development server. A pure function
 * of the received bytes, which never throws.
 *
 * Spec: spec/guard.md
 */
import { hostName, isLocalHost, isLoopback } from "../record/services/this-machine.ts";
import { TOKEN_HEADER } from "../run/wire.ts";

/** The input of the guard; header values have one entry per field line. */
export interface Visit {
  /** The socket's address. */
  readonly peer: string | undefined;
  readonly target: string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  readonly fetchSites: readonly string[];
  readonly fetchModes: readonly string[];
  readonly fetchDests: readonly string[];
  /** Names of all request headers, lower case. */
  readonly headerNames: readonly string[];
  /** `1.0`, `1.1` or `2`. */
  readonly httpVersion: string;
  /** Whether it is the page, which may also be navigated to. */
  readonly isPage: boolean;
  /** Whether the token was shown, or none is required. */
  readonly isTrusted: boolean;
}

/** The clients that are allowed in addition to this machine. */
export interface GuardRules {
  readonly allowRemote: boolean;
  readonly allowedHosts: readonly string[];
}

/** The guard's verdict. A rejected client on another machine learns nothing: its reason is empty. */
export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly status: 403 | 404; readonly reason: string };

const forwarding = /^(?:forwarded|via|x-real-ip|cf-connecting-ip|true-client-ip|x-forwarded(?:-.*)?)$/;

/** Whether this request may use devtools. */
export function judge(visit: Visit, rules: GuardRules): Verdict {
  const local = isLoopback(visit.peer);
  if (!local && !rules.allowRemote) return { allowed: false, status: 404, reason: "" };
  const reason = objection(visit, rules);
  if (reason === undefined) return { allowed: true };
  return local ? { allowed: false, status: 403, reason } : { allowed: false, status: 404, reason: "" };
}

function objection(visit: Visit, rules: GuardRules): string | undefined {
  const header = visit.headerNames.find((name) => forwarding.test(name));
  if (header !== undefined && !rules.allowRemote)
    return "the request came through a proxy or tunnel (it carries a forwarding header). Devtools.create({ allowRemote: true }) serves such requests.";
  if (visit.httpVersion === "1.0" && !rules.allowRemote)
    return "the request is HTTP/1.0, as a proxy beside the application sends it. Ask with HTTP/1.1.";
  const host = visit.hosts.length === 1 ? visit.hosts[0] : undefined;
  if (host === undefined) return "the request must carry exactly one Host header.";
  if (!isAllowedHost(host, rules.allowedHosts)) return hostReason;
  const authority = authorityOf(visit.target);
  if (authority !== undefined && authority.toLowerCase() !== host.toLowerCase()) return hostReason;
  if (!isOwnOrigin(visit.origins, host))
    return "the Origin header names another origin. Devtools respond only to the page they serve; no option changes this.";
  if (!isOwnPage(visit))
    return "the Sec-Fetch-Site header says that another site sent the request. Devtools respond only to the page they serve; no option changes this.";
  if (!visit.isTrusted)
    return `the token is missing or another one. Open the link that the application printed when it started, or send the header ${TOKEN_HEADER}.`;
  return undefined;
}

const hostReason =
  'the Host is not local. Devtools.create({ allowedHosts: ["app.test:8080"] }) or FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS names further hosts.';

function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  return isLocalHost(host) || allowed.some((entry) => sameHost(host, entry));
}

/** An entry with a port matches that port, one without any port. */
function sameHost(host: string, entry: string): boolean {
  return host.toLowerCase() === entry.toLowerCase() || hostName(host) === entry.toLowerCase();
}

/** The authority of an absolute-form target. */
function authorityOf(target: string): string | undefined {
  return target.startsWith("/") ? undefined : /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

function isOwnOrigin(origins: readonly string[], host: string): boolean {
  const [origin, own] = [origins.join().toLowerCase(), host.toLowerCase()];
  return origins.length === 0 || origin === `http://${own}` || origin === `https://${own}`;
}

function isOwnPage({ fetchSites, fetchModes, fetchDests, isPage }: Visit): boolean {
  if (fetchSites.length === 0) return true;
  const site = fetchSites.join();
  if (site === "same-origin" || site === "none") return true;
  const known = site === "same-site" || site === "cross-site";
  return known && isPage && fetchModes.join() === "navigate" && fetchDests.join() === "document";
}

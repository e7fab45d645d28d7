/**
 * A client that loses no idempotent request: it retries GET and QUERY if their connection breaks or stays silent. Node's cluster
 * forgets a connection that it has handed to a worker which is killed before it accepts it. No worker responds on that
 * connection, and none closes it.
 */

/** Methods that may be repeated after any result of the first attempt (RFC 9110 §9.2.2, RFC 10008). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"]);

/** How a client retries. */
export interface Trying {
  readonly attempts?: number;
  /** How long an attempt may take, in milliseconds. */
  readonly patienceMs?: number;
}

/** `fetch`, up to `attempts` times while the connection breaks or is silent. Calls `onRetry` before each retry. */
export async function fetchAgain(
  url: string,
  init: RequestInit,
  onRetry: () => void,
  { attempts = 5, patienceMs = 5_000 }: Trying = {},
): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(patienceMs) });
      const body = await response.text();
      if (!response.ok)
        throw new Error(`${url} responded with ${response.status}: ${body}`, { cause: response.status });
      return body;
    } catch (error) {
      // fetch's errors for a failed and for a silent connection
      const broken = error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
      if (!broken || attempt === attempts || !idempotent.has(init.method ?? "GET")) throw error;
      onRetry();
      await new Promise((resolve) => setTimeout(resolve, 10 * attempt));
    }
  }
}

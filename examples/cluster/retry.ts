/**
 * A client that loses nothing which may be repeated: GET and QUERY are tried again when their connection breaks.
 */

/** Methods that may be repeated, whatever became of the first attempt (RFC 9110 §9.2.2, RFC 10008). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"]);

/** `fetch`, up to `attempts` times while the connection breaks; `onRetry` is told of each further one. */
export async function fetchAgain(url: string, init: RequestInit, onRetry: () => void, attempts = 5): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, init);
      const body = await response.text();
      if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`, { cause: response.status });
      return body;
    } catch (error) {
      const broken = error instanceof TypeError; // fetch's only error for a connection that fails
      if (!broken || attempt === attempts || !idempotent.has(init.method ?? "GET")) throw error;
      onRetry();
      await new Promise((resolve) => setTimeout(resolve, 10 * attempt));
    }
  }
}

/** Why a server cannot listen, as a message with advice, the same on every runtime. */

/** An error with that message and the system's own code. @param thrown by the attempt to listen */
export function sentence(thrown: unknown, port: number, host: string | undefined): Error & { code: unknown } {
  const error: Error & { readonly code?: unknown } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { code, name, message } = error;
  const where = host === undefined ? `port ${port}` : `${host}:${port}`;
  const why =
    code === "EADDRINUSE" || name === "AddrInUse"
      ? `${where} is in use: stop what listens there, or choose another port (app.start(0) picks a free one)`
      : code === "EACCES" || name === "PermissionDenied"
        ? `${where} needs rights that this process lacks: choose a port above 1023`
        : code === "EADDRNOTAVAIL" || name === "AddrNotAvailable"
          ? `${where} cannot be listened on: this machine has no such address`
          : code === "ENOTFOUND"
            ? `the host ${host ?? ""} is unknown`
            : `cannot listen on ${where}: ${message}`;
  return Object.assign(new Error(why, { cause: thrown }), { code });
}

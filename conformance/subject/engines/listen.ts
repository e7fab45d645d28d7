/**
 * Listening, shared by the hosts that are not the framework's own server.
 */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A subject that listens. */
export interface Served {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Lets requests in flight finish, then closes everything. */
  close(): Promise<void>;
}

/** Serves `listener` on 127.0.0.1. `stopApp` runs before the server closes. Rejects with a sentence. */
export async function listen(listener: RequestListener, port: number, stopApp: () => Promise<void>): Promise<Served> {
  const server = createServer(listener);
  await listening(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await stopApp();
      server.closeAllConnections();
      await closed;
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) =>
      reject(
        new Error(
          cause.code === "EADDRINUSE" ? `127.0.0.1:${port} is in use` : `cannot listen on ${port}: ${cause.message}`,
          { cause },
        ),
      ),
    );
    server.listen(port, "127.0.0.1", resolve);
  });
}

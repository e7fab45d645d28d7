/** A port for a program that needs a fixed one. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port that was free a moment ago, below the ephemeral range. A parallel program may get an ephemeral port before this
 * program binds it.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 30_000);
  const server = createServer().listen(port);
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  );
  await new Promise((resolve) => server.close(resolve));
  return isFree ? port : freePort();
}

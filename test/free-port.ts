/** A port for a program that needs one given. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port that was free a moment ago, below those that systems give to who asks for any: what runs beside the program may get
 * one of those before the program binds it.
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

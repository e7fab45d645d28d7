/**
 * Starts Conduit: `make build && node .build/examples/realworld/main.js`.
 *
 *   PORT                        where it listens (8080)
 *   JWT_SECRET                  signs the tokens, 32 bytes or more; without it a new one each start, and old tokens end
 *   DATA_DIR                    keeps the database in that folder; without it, every start is an empty Conduit
 *   FRAMEWORK_DEVTOOLS=false    no dashboard
 */
import { randomBytes } from "node:crypto";
import { createApp } from "./app.ts";

const { PORT = "8080", DATA_DIR, JWT_SECRET } = process.env;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const port = portFrom(PORT);
  const jwtSecret = JWT_SECRET || randomBytes(32).toString("base64url");
  const { app, beans, devtools } = await createApp({ dataDir: DATA_DIR || undefined, jwtSecret });
  const close = async (): Promise<void> => {
    await app.stop();
    await beans.close();
  };
  try {
    await app.start(port);
  } catch (error) {
    await close();
    throw error;
  }
  const url = `http://localhost:${app.port}`;
  console.log(
    `\n  Conduit      ${url}/api\n  Dashboard    ${devtools.recorder().traces === true ? `${url}/framework/dev` : "off"}`,
  );
  console.log("\n  Ctrl+C closes it.\n");
  closeOnSignal(close);
}

function portFrom(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`PORT is ${JSON.stringify(text)}, it takes a number from 0 to 65535`);
  return port;
}

/** The first signal closes Conduit properly. A second one does not wait. */
function closeOnSignal(close: () => Promise<void>): void {
  let closing = false;
  const onSignal = (): void => {
    if (closing) process.exit(1);
    closing = true;
    close().catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
}

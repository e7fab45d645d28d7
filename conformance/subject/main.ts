/**
 * Starts the subject: `make subject PORT=9100 PROFILE=default ENGINE=node-http`.
 *
 * Prints `listening on http://127.0.0.1:9100` when it listens. If it cannot start, it prints one sentence and exits with 1.
 * SIGINT and SIGTERM close it properly.
 */
import { createSubject } from "./subject.ts";

const { PORT, PROFILE, ENGINE } = process.env;
const warn = (line: string): void => void process.stderr.write(`${line}\n`);

try {
  const port = portFrom(PORT || "9100");
  const subject = createSubject({
    profile: PROFILE || undefined,
    engine: ENGINE || undefined,
    logger: { warn, error: warn },
  });
  const stopOnSignal = (): void => {
    subject.stop().catch(fail);
  };
  process.once("SIGINT", stopOnSignal).once("SIGTERM", stopOnSignal);
  process.stdout.write(`listening on ${await subject.start(port)}\n`);
} catch (error) {
  fail(error);
}

function portFrom(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`PORT is ${JSON.stringify(text)}: a number from 0 to 65535 is allowed`);
  return port;
}

function fail(error: unknown): void {
  warn(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

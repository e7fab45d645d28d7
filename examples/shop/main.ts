/**
 * Starts the shop: alone, or together with the shipping service by `make dev` (examples/demo.ts).
 *
 *   PORT                          where it listens (8080)
 *   DATA_DIR                      keeps the database and the runs in that folder; without it, every start is a fresh shop
 *   SHIPPING_URL                  the shipping service that books a parcel for each order
 *   PAYMENTS_SECRET               the secret of the payment service's webhooks
 *   FAULT                         plants one of the faults of faults.ts, to be found: docs/find-out-why.md
 *   CACHE=true                    a cache in front of the catalogue
 *   FRAMEWORK_DEVTOOLS=false      no dashboard
 *   OTEL_TRACES_EXPORTER=console  prints a span for every request
 *   OTEL_EXPORTER_OTLP_ENDPOINT   the collector that gets a span for every request
 */
import { startTracing } from "./tracing.ts";
import { createApp, type Shop } from "./app.ts";
import { faults, type PlantedFault } from "./faults.ts";

const {
  PORT = "8080",
  DATA_DIR,
  SHIPPING_URL,
  PAYMENTS_SECRET,
  FAULT,
  CACHE,
  OTEL_TRACES_EXPORTER,
  OTEL_EXPORTER_OTLP_ENDPOINT,
} = process.env;

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const port = portFrom(PORT);
  const fault = faultFrom(FAULT);
  console.log("Opening the shop …");
  const tracing = startTracing({
    print: OTEL_TRACES_EXPORTER === "console",
    service: OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : "shop",
  });
  const shop = await createApp({
    dataDir: DATA_DIR || undefined,
    shippingUrl: SHIPPING_URL || undefined,
    paymentsSecret: PAYMENTS_SECRET || undefined,
    tracing: tracing.middleware,
    cache: CACHE === "true",
    around: fault?.plant(() => shop.beans),
  });
  const close = async (): Promise<void> => {
    await shop.app.stop();
    await shop.beans.close();
    await tracing.close();
  };
  try {
    await shop.app.start(port);
  } catch (error) {
    await close();
    throw error;
  }
  console.log(banner(shop, fault));
  closeOnSignal(close);
}

function portFrom(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Error(`PORT is ${JSON.stringify(text)}, it takes a number from 0 to 65535`);
  return port;
}

function faultFrom(id: string | undefined): PlantedFault | undefined {
  if (id === undefined || id === "") return undefined;
  const fault = faults.find((one) => one.id === id);
  const known = faults.map((one) => one.id).join(", ");
  if (fault === undefined) throw new Error(`FAULT is ${JSON.stringify(id)}, it takes one of ${known}`);
  return fault;
}

function banner({ app, devtools }: Shop, fault: PlantedFault | undefined): string {
  const url = `http://localhost:${app.port}`;
  const watched = devtools?.recorder().traces === true;
  return `
  The shop is open    ${url}
  Dashboard           ${watched ? `${url}/framework/dev` : "off (FRAMEWORK_DEVTOOLS or NODE_ENV says so)"}
${fault === undefined ? "" : `\n  A fault is planted: "${fault.symptom}" Find out why by ${shown(fault)}\n`}
  Try
    curl ${url}/products/p-0001
    curl -X QUERY ${url}/products/search -H 'Content-Type: application/json' -d '{"text":"pro","categories":["garden"]}'
    curl ${url}/orders -H 'Content-Type: application/json' -d '{"customerId":"c-1","card":"visa","lines":[{"productId":"p-0001","quantity":2}]}'

  Ctrl+C closes it.
`;
}

function shown({ request: { method, path, body } }: PlantedFault): string {
  return `${method} ${path}${body === undefined ? "" : ` with ${JSON.stringify(body)}`}`;
}

/** The first signal closes the shop properly. A second one does not wait. */
function closeOnSignal(close: () => Promise<void>): void {
  let closing = false;
  const onSignal = (): void => {
    if (closing) process.exit(1);
    closing = true;
    console.log("Closing the shop …");
    close().catch((error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    });
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
}

/** Starts the shipping service: PORT (8081). It prints its address, and stops with SIGTERM or SIGINT. */
import { createShipping } from "./app.ts";

const app = createShipping();
await app.start(Number(process.env["PORT"] ?? 8081));
console.log(`shipping listens on http://127.0.0.1:${app.port}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void app.stop());

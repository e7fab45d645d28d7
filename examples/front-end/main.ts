/** Starts the service and its page: `node .build/examples/front-end/main.js`. */
import { fileURLToPath } from "node:url";
import { Board, createApp } from "./app.ts";
import { buildPage } from "./build.ts";

const folder = fileURLToPath(new URL("../../../examples/front-end/", import.meta.url));
const app = createApp(new Board(), await buildPage(folder));
await app.start(Number(process.env["PORT"] ?? 8080));
console.log(`The board is at ${app.url}`);

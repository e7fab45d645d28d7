/** Serves on Node; `ENGINE=http2` chooses the engine. */
import { NodeHttp2Engine, NodeHttpEngine } from "framework";
import { hello } from "./hello.mjs";

const engine = process.env.ENGINE === "http2" ? new NodeHttp2Engine() : new NodeHttpEngine();
const app = await hello({ engine, host: "127.0.0.1" }).start(0);
console.log(`listening ${app.port}`);
process.once("SIGTERM", () => void app.stop({ graceMs: 1_000 }));

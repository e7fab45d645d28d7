/** Prints Conduit's OpenAPI document: `make docs` writes openapi.json with it. */
import { conduitDocument } from "./document.ts";

process.stdout.write(`${JSON.stringify(conduitDocument(), undefined, 2)}\n`);

/** Prints the shop's OpenAPI document: `make docs` writes openapi.json with it. */
import { shopDocument } from "./document.ts";

process.stdout.write(`${JSON.stringify(shopDocument(), undefined, 2)}\n`);

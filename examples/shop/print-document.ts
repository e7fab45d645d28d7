/** Prints the shop's OpenAPI document, for programs that read one from a file. */
import { shopDocument } from "./document.ts";

process.stdout.write(`${JSON.stringify(shopDocument(), undefined, 2)}\n`);

/** Prints Conduit's OpenAPI document, for programs that read one from a file. */
import { conduitDocument } from "./document.ts";

process.stdout.write(`${JSON.stringify(conduitDocument(), undefined, 2)}\n`);

/** Prints the shop's OpenAPI document, in 3.2 or the version given as an argument, for programs that read one from a file. */
import { shopDocument } from "./document.ts";

const version = process.argv[2] === "3.1" ? "3.1" : "3.2";
process.stdout.write(`${JSON.stringify(shopDocument(version), undefined, 2)}\n`);

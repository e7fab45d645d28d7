/** The key and certificate of servers over TLS: self-signed, made anew for each run, and checked by no client of the bench. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Work } from "../work.ts";

/** Those of a job over TLS. */
export const certificateOf = ({ files }: Pick<Work, "files">): { readonly key: Buffer; readonly cert: Buffer } => ({
  key: readFileSync(join(files, "key.pem")),
  cert: readFileSync(join(files, "cert.pem")),
});

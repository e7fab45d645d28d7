/**
 * Optional peers: packages that a part of the framework needs, installed by the application.
 *
 *   loadPeer("framework/multipart", "@fastify/busboy", () => import("@fastify/busboy")) ──▶ the package
 *                                 └─ not installed ──▶ Error (PEER_MISSING): … npm install …
 *
 * A package that is installed and fails is not missing, so its own error is passed on.
 */
import { stateError } from "./usage-errors.ts";

/** The package. `load` imports it by its literal name, so that a bundler finds it. @throws (rejects) `missingPeer`. */
export async function loadPeer<T>(part: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw isNotFound(error) ? missingPeer(part, name, error) : error;
  }
}

/** Returns for the error of a missing package. @throws any other error */
export function ifMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** The error for a missing package, with the command that installs it. */
export const missingPeer = (part: string, name: string, cause?: unknown): Error =>
  Object.assign(stateError("PEER_MISSING", `${part} needs the package ${name}: npm install ${name}`), { cause });

/** Is that the error of an import of a missing module? */
const isNotFound = (error: unknown): boolean => Reflect.get(Object(error), "code") === "ERR_MODULE_NOT_FOUND";

/**
 * Own file: a file of this user that others cannot read, opened once and checked through the open descriptor.
 *
 *   path ──▶ open, no link at its end is followed ──▶ a regular file of this user? ──▶ readable by its owner alone
 *
 * A link could direct writes to any file of the user, and reads to anywhere. A pipe would wait for ever.
 *
 * Spec: spec/history.md
 */
import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

const { O_APPEND, O_CREAT, O_RDONLY, O_RDWR } = constants;
// Windows has neither.
const guarded = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
type How = "read" | "add";
const flags: Readonly<Record<How, number>> = { read: O_RDONLY | guarded, add: O_RDWR | O_CREAT | O_APPEND | guarded };
const mode = 0o600;

/** @throws (rejects) Error that says why it is not a file of this user, and any other error of the system */
export async function openOwn(path: string, how: How): Promise<FileHandle> {
  const handle = await open(path, flags[how], mode).catch(asSentence);
  try {
    if (isOpenToOthers(await handle.stat())) await handle.chmod(mode);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The same synchronously. @returns a descriptor, to be closed */
export function openOwnNow(path: string, how: How): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags[how], mode);
  } catch (error) {
    return asSentence(error);
  }
  try {
    if (isOpenToOthers(fstatSync(descriptor))) fchmodSync(descriptor, mode);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** The system's error for a link that is not followed. */
function asSentence(error: unknown): never {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  if (code === "ELOOP" || code === "EMLINK")
    throw new Error("it is a symbolic link, which is not followed: name the file itself", { cause: error });
  throw error;
}

/** @throws Error if it is not a regular file, or belongs to another user */
function isOpenToOthers(stats: Stats): boolean {
  if (!stats.isFile()) throw new Error("it is no regular file");
  const user = process.geteuid?.();
  if (user !== undefined && stats.uid !== user) throw new Error("it belongs to another user");
  return user !== undefined && (stats.mode & 0o077) !== 0;
}

/**
 * Pictures of products: files in a folder next to the database, one for each product.
 *
 *   PUT /products/p-0001/picture ──▶ <DATA_DIR>/pictures/p-0001.png
 */
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UploadedFile } from "framework/multipart";

const extensions: Readonly<Record<string, string>> = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" };

/** The media types of pictures. */
export const pictureTypes: readonly string[] = Object.keys(extensions);

/** The folder of the pictures: in the shop's folder, else in the system's folder for temporary files. */
export const picturesFolder = (dataDir: string | undefined): string =>
  join(dataDir ?? join(tmpdir(), "shop"), "pictures");

/** Replaces a product's picture atomically, so no reader sees half of it. Returns its name. */
export async function savePicture(folder: string, id: string, { mediaType, bytes }: UploadedFile): Promise<string> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${randomUUID()}`);
  const name = `${id}.${extensions[mediaType] ?? "bin"}`;
  await writeFile(unfinished, bytes);
  await rename(unfinished, join(folder, name));
  const others = Object.values(extensions).map((extension) => `${id}.${extension}`);
  for (const other of others) if (other !== name) await rm(join(folder, other), { force: true });
  return name;
}

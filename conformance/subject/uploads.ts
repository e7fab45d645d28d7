/**
 * The forms with files of the subject.
 *
 * Spec: spec/subject.md
 */
import type { Framework } from "framework";
import { multipart, multipartForm } from "framework/multipart";
import { z } from "zod";

/** The limits of `POST /uploads`. */
const limits = { parts: 6, files: 2, fileBytes: 100_000, fieldBytes: 100 } as const;

/** The members of a file that are shown. */
interface Named {
  readonly filename: string;
  readonly rawFilename: string | undefined;
  readonly mediaType: string;
}

const printed = multipartForm({
  fields: z.object({
    title: z.string().min(2),
    copies: z.coerce.number<string>().pipe(z.int().min(1)),
    tag: z.array(z.string()).default([]),
  }),
  files: { picture: { maxBytes: 1_000, types: ["image/png", "image/jpeg"] } },
});

/** Adds the routes below `/uploads`. */
export function addUploads(app: Framework): void {
  app
    .post("/uploads", async (ctx) => {
      const parts: object[] = [];
      for await (const part of multipart(ctx, limits))
        if (part.kind === "field") parts.push({ name: part.name, text: part.value });
        else parts.push({ name: part.name, file: await shown(part, await part.bytes()) });
      return { parts };
    })
    .post("/uploads/skipped", async (ctx) => {
      const names: string[] = [];
      const streams: ReadableStream<Uint8Array>[] = [];
      for await (const part of multipart(ctx)) {
        names.push(part.name);
        if (part.kind === "file") streams.push(part.stream);
      }
      return { names, codes: await Promise.all(streams.map(failureOf)) };
    })
    .post("/uploads/first", async (ctx) => {
      for await (const { name } of multipart(ctx)) return { id: name };
      return { id: "" };
    })
    .post("/uploads/form", { body: printed }, async (ctx) => {
      const { fields, files } = ctx.input.body;
      const { title, copies, tag: tags } = fields;
      return { title, copies, tags, picture: await shown(files.picture, files.picture.bytes) };
    });
}

async function shown({ filename, rawFilename = "", mediaType }: Named, bytes: Uint8Array): Promise<object> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return { filename, rawFilename, mediaType, bytes: bytes.length, sha256 };
}

/** The error code of reading, empty if it succeeds. */
async function failureOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  try {
    await stream.getReader().read();
    return "";
  } catch (error) {
    return String((error as { readonly code?: unknown }).code);
  }
}

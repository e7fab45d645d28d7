/** Properties of forms: any form is read as it was sent, and nothing else is a form, for any split (MULTI). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { HttpError } from "framework";
import { piecesOf, streamOf } from "./bodies.testkit.ts";
import { multipart, type MultipartLimits } from "./index.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 100);
const boundary = "--b'o+u_n.d";

/** A part as plain data: its name, its content as latin1, the name of a file. */
type Shown = readonly [name: string, content: string, filename?: string];

/** The contents of a body, or its error status. */
async function read(body: readonly Uint8Array[], limits: MultipartLimits = {}): Promise<readonly Shown[] | number> {
  const shown: Shown[] = [];
  const source = {
    header: () => `multipart/form-data; boundary="${boundary}"`,
    bodyAsStream: () => streamOf(piecesOf(body)),
  };
  try {
    for await (const part of multipart(source, limits))
      if (part.kind === "field") shown.push([part.name, Buffer.from(part.value).toString("latin1")]);
      else shown.push([part.name, Buffer.from(await part.bytes()).toString("latin1"), part.rawFilename ?? ""]);
    return shown;
  } catch (error) {
    if (error instanceof HttpError && [400, 413].includes(error.status)) return error.status;
    throw error;
  }
}

/** Texts that look like the end of a part or may confuse a parser. */
const nearly = fc.constantFrom(
  "\r\n",
  "\n",
  "--",
  `--${boundary}`,
  `\r\n--${boundary.slice(0, -1)}`,
  `--${boundary}--`,
  "\r\n\r\n",
  "\0",
  "é",
  "Content-Disposition: form-data; name=x",
  "\r",
  "=",
  ";",
  '"',
  "%0d%0a",
  "\ud83d\ude00",
);
const content = fc
  .array(fc.oneof({ weight: 2, arbitrary: nearly }, { weight: 1, arbitrary: fc.string({ maxLength: 40 }) }), {
    maxLength: 8,
  })
  .map((texts) => texts.join(""))
  // The one text that no part can hold.
  .filter((text) => !`\r\n${text}`.includes(`\r\n--${boundary}`));
const name = fc.oneof(
  fc.constantFrom("a", "__proto__", "constructor", "a b", "ü", "a[]", "x;y", "0", "%22"),
  fc.stringMatching(/^[A-Za-z0-9_.~-]{1,20}$/),
);
const filename = fc.oneof(fc.constantFrom("a.png", "../../etc/passwd", "C:x", ".env", "ä ö.txt"), name);
const field = fc.tuple(name, content).map((part): Shown => part);
const part = fc.oneof(field, fc.tuple(name, content, filename));
const form = fc.array(part, { maxLength: 6 });

function written(parts: readonly Shown[], preamble = "", epilogue = ""): Buffer {
  const texts = parts.map(([name, content, filename]) => {
    const file = filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: application/x-y`;
    return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`;
  });
  return Buffer.from(`${preamble}${texts.join("")}--${boundary}--\r\n${epilogue}`);
}

/** The bytes in pieces, cut at fractions of the whole. */
function inPieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, at) => bytes.subarray(places[at], to));
}
const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const cuts = fc.oneof({ weight: 4, arbitrary: fc.array(share, { maxLength: 12 }) }, fc.constant("every byte" as const));
const split = (bytes: Buffer, how: readonly number[] | "every byte"): Buffer[] =>
  how === "every byte" ? Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)) : inPieces(bytes, how);

const expected = (parts: readonly Shown[]): Shown[] =>
  parts.map(([name, content, ...file]) => [name, Buffer.from(content).toString("latin1"), ...file]);

describe("multipart", () => {
  test("MULTI-001 MULTI-002: returns any form, for any split into pieces", async () => {
    const around = fc.constantFrom("", "a preamble\r\n", "\r\n", "--\r\n");
    await fc.assert(
      fc.asyncProperty(form, cuts, around, async (parts, how, before) => {
        assert.deepEqual(await read(split(written(parts, before, "an epilogue"), how)), expected(parts));
      }),
      { numRuns },
    );
  });

  test("MULTI-004: responds 400 to a form cut short at any place, and never gives a shorter form", async () => {
    await fc.assert(
      fc.asyncProperty(form, share, cuts, async (parts, where, how) => {
        const whole = written(parts);
        // The line end after the last boundary may be missing.
        const cut = whole.subarray(0, Math.floor(where * (whole.length - 2)));
        assert.equal(await read(split(cut, how)), 400, cut.toString("latin1"));
      }),
      { numRuns },
    );
  });

  test("MULTI-004: gives a form or an error for changed bytes, and reads them to the end, for any split", async () => {
    const change = fc.record({
      at: share,
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 4 }),
        nearly.map((text) => Buffer.from(text)),
      ),
      drop: fc.nat(6),
    });
    await fc.assert(
      fc.asyncProperty(form, fc.array(change, { minLength: 1, maxLength: 4 }), cuts, async (parts, changes, how) => {
        let bytes = written(parts);
        for (const { at, bytes: put, drop } of changes) {
          const place = Math.floor(at * bytes.length);
          bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
        }
        const whole = await read([bytes]);
        assert.deepEqual(await read(split(bytes, how)), whole, JSON.stringify(bytes.toString("latin1")));
      }),
      { numRuns },
    );
  });

  test("MULTI-005 MULTI-006: rejects a bomb of headers, parts or names, at no more cost than its bytes", async () => {
    const line = fc.tuple(
      fc.constantFrom("X-A", "Content-Disposition", "Content-Type"),
      fc.constantFrom(1, 100, 9_000),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), fc.nat(300), fc.nat(1_200), async (lines, name, count) => {
        const heads = lines.map(([field, length]) => `${field}: ${"v".repeat(length)}\r\n`).join("");
        const disposition = `Content-Disposition: form-data; name="${"n".repeat(name)}"\r\n`;
        const bomb = Buffer.from(`--${boundary}\r\n${heads}${disposition}\r\nx\r\n--${boundary}--\r\n`);
        const found = await read([bomb]);
        if (typeof found !== "number") assert.ok(found.length <= 1 && (found[0]?.[0].length ?? 1) <= 255);
        const field = await read([written([["a", "v".repeat(name)]])], { fieldBytes: 100 });
        assert.equal(typeof field === "number" ? field : field.length, name > 100 ? 413 : 1);
        const many = written(Array.from({ length: count }, (): Shown => ["a", ""]));
        const outcome = await read([many], { parts: 1_000 });
        assert.equal(typeof outcome === "number" ? outcome : outcome.length, count > 1_000 ? 413 : count);
      }),
      { numRuns: Math.ceil(numRuns / 10) },
    );
  });
});

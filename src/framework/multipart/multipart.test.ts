import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { ClientGoneError, Framework, HttpError } from "framework";
import { fixedBodies, formOf, type Piece, piecesOf, streamOf } from "./bodies.testkit.ts";
import { type FilePart, multipart, type MultipartLimits, type Part } from "./index.ts";

const quiet = { warn: (): void => undefined, error: (): void => undefined };

/** A part as plain data. */
type Shown = readonly [name: string, value: string, filename?: string, mediaType?: string];

async function shown(part: Part): Promise<Shown> {
  if (part.kind === "field") return [part.name, part.value];
  return [part.name, Buffer.from(await part.bytes()).toString("latin1"), part.filename, part.mediaType];
}

/** Reads a body in these pieces, as a request to `app.fetch`. */
async function read(
  pieces: Iterable<Piece>,
  limits: MultipartLimits = {},
  type = "multipart/form-data; boundary=b",
): Promise<unknown> {
  const app = Framework.create({ logger: quiet }).post("/", async (ctx) => {
    const parts: Shown[] = [];
    for await (const part of multipart(ctx, limits)) parts.push(await shown(part));
    return { parts };
  });
  const body = streamOf(piecesOf(pieces));
  const response = await app.fetch(
    new Request("http://localhost/", {
      method: "POST",
      headers: { "Content-Type": type },
      body,
      duplex: "half",
    } as RequestInit),
  );
  const value = (await response.json()) as { parts?: Shown[]; detail?: string };
  return response.status === 200 ? value.parts : [response.status, value.detail];
}

describe("multipart", () => {
  test("MULTI-001: gives the parts in order, files byte for byte", async () => {
    const form = new FormData();
    const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256);
    form.append("title", "Über den Wolken");
    form.append("picture", new Blob([bytes], { type: "image/png" }), "../a\\wolke ü.png");
    form.append("title", "");
    form.append("empty", new Blob([]), "empty.bin");
    const app = Framework.create({ logger: quiet }).post("/", async (ctx) => {
      const seen: unknown[] = [];
      for await (const part of multipart(ctx)) {
        if (part.kind === "field") seen.push([part.kind, part.name, part.value, part.mediaType]);
        else {
          const same = Buffer.from(await part.bytes()).equals(bytes);
          seen.push([part.kind, part.name, part.filename, part.rawFilename, part.mediaType, part.size, same]);
        }
      }
      return seen;
    });
    const response = await app.fetch(new Request("http://localhost/", { method: "POST", body: form }));
    assert.deepEqual(await response.json(), [
      ["field", "title", "Über den Wolken", "text/plain"],
      ["file", "picture", "wolke ü.png", "../a\\wolke ü.png", "image/png", 70_000, true],
      ["field", "title", "", "text/plain"],
      ["file", "empty", "empty.bin", "empty.bin", "application/octet-stream", 0, false],
    ]);
  });

  test("MULTI-002: finds the same parts for any split of a body", async () => {
    for (const [body, parts] of fixedBodies) {
      assert.deepEqual(await read([body]), parts);
      assert.deepEqual(await read(Array.from(body, (byte) => Uint8Array.of(byte))), parts, "byte by byte");
      for (let at = 1; at < body.length; at += 1)
        assert.deepEqual(await read([body.subarray(0, at), body.subarray(at)]), parts, `split at ${at}`);
    }
  });

  test("MULTI-011: accepts bytes without a filename as a file without a usable name", async () => {
    const head = 'Content-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream';
    assert.deepEqual(await read([`--b\r\n${head}\r\n\r\n12\r\n--b--\r\n`]), [
      ["f", "12", "unnamed", "application/octet-stream"],
    ]);
  });

  test("MULTI-003: rejects another media type", async () => {
    for (const [type, named] of [
      ["application/json", "application/json"],
      ["multipart/mixed; boundary=b", "multipart/mixed"],
      ["", "nothing"],
    ] as const)
      assert.deepEqual(await read([formOf()], {}, type), [
        415,
        `a form was expected: multipart/form-data, not ${named}`,
      ]);
    const source = { header: () => undefined, bodyAsStream: () => new ReadableStream<Uint8Array>() };
    await assert.rejects(multipart(source).next(), {
      status: 415,
      message: "a form was expected: multipart/form-data, not nothing",
    });
  });

  test("MULTI-003: accepts the media type in any case, and its boundary in each spelling", async () => {
    const longest = "x".repeat(70);
    const types = {
      "Multipart/Form-Data; Boundary=b": "b",
      "multipart/form-data ; charset=utf-8 ; boundary = b": "b",
      "multipart/form-data;boundary=b": "b",
      "multipart/form-data;  boundary  =  b": "b",
      'multipart/form-data; boundary="b"; charset=utf-8': "b",
      'multipart/form-data; boundary="a b"': "a b",
      [`multipart/form-data; boundary=${longest}`]: longest,
    };
    for (const [type, boundary] of Object.entries(types)) {
      const body = formOf({ name: "a", value: "1" }).toString("latin1").replaceAll("--b", `--${boundary}`);
      assert.deepEqual(await read([body], {}, type), [["a", "1"]], type);
    }
    assert.deepEqual(await read([formOf()], {}, `text/${"x".repeat(80)}`), [
      415,
      `a form was expected: multipart/form-data, not text/${"x".repeat(59)}`,
    ]);
  });

  test("MULTI-004: rejects a body without a boundary, and with an invalid one", async () => {
    const noBoundary = [400, "the Content-Type of the form has no boundary, or one that is none"];
    for (const type of [
      "multipart/form-data",
      "multipart/form-data; boundary=",
      `multipart/form-data; boundary=${"x".repeat(71)}`,
      'multipart/form-data; boundary="b "',
      'multipart/form-data; boundary="b<"',
      'multipart/form-data; boundary="<b"',
    ])
      assert.deepEqual(await read([formOf()], {}, type), noBoundary);
  });

  test("MULTI-004: rejects a body that is malformed or cut short, at each byte", async () => {
    assert.deepEqual(await read(["no boundary at all"]), [400, "the form is cut short"]);
    for (const [body] of fixedBodies)
      for (let at = 0; at < body.lastIndexOf("--") + 2; at += 1)
        assert.deepEqual(await read([body.subarray(0, at)]), [400, "the form is cut short"], `cut at ${at}`);
  });

  test("MULTI-005: rejects more than the limits allow", async () => {
    const file = { name: "f", filename: "f", value: "12345678" };
    const fields = Array.from({ length: 3 }, (_, at) => ({ name: `n${at}`, value: "v" }));
    const cases: readonly [Buffer, MultipartLimits, string][] = [
      [formOf(...fields), { parts: 2 }, "a form may have at most 2 parts"],
      [formOf(file, file), { files: 1 }, "a form may have at most 1 files"],
      [formOf(file), { fileBytes: 7 }, "a file may have at most 7 bytes"],
      [formOf({ name: "n", value: "123" }), { fieldBytes: 2 }, "a field may have at most 2 bytes"],
    ];
    for (const [body, limits, detail] of cases) {
      assert.deepEqual(await read([body], limits), [413, detail]);
      assert.deepEqual(
        await read(
          Array.from(body, (byte) => Uint8Array.of(byte)),
          limits,
        ),
        [413, detail],
      );
    }
    assert.equal(
      ((await read([formOf(file, file, ...fields)], { parts: 5, files: 2, fileBytes: 8 })) as unknown[]).length,
      5,
    );
    const tooLarge = [413, "the body may have at most 1048576 bytes"];
    assert.deepEqual(await read([formOf({ ...file, value: "x".repeat(1_048_576) })]), tooLarge);
  });

  test("MULTI-005: counts the decompressed bytes of a form, so a bomb ends at the limit", async () => {
    const bomb = gzipSync(formOf({ name: "f", filename: "f", value: "x".repeat(20_000_000) }));
    let taken = 0;
    const app = Framework.create({ logger: quiet }).post("/", { maxBodyBytes: 1_000_000 }, async (ctx) => {
      for await (const part of multipart(ctx))
        if (part.kind === "file") for await (const chunk of part.stream) taken += chunk.length;
      return "taken";
    });
    const headers = { "Content-Type": "multipart/form-data; boundary=b", "Content-Encoding": "gzip" };
    const response = await app.request("/", { method: "POST", headers, body: bomb });
    assert.equal(response.status, 413);
    assert.ok(bomb.length < 50_000 && taken > 0 && taken <= 1_000_000, `${bomb.length} bytes became ${taken}`);
  });

  test("MULTI-006: rejects a part without a name, and names that are too long", async () => {
    const long = [400, "a name in the form has more than 255 bytes"];
    assert.deepEqual(await read([formOf({ name: "n".repeat(256), value: "" })]), long);
    assert.deepEqual(await read([formOf({ name: "n", filename: "ü".repeat(128), value: "" })]), long);
    assert.deepEqual(await read([formOf({ name: "n".repeat(255), filename: "f".repeat(255), value: "" })]), [
      ["n".repeat(255), "", "f".repeat(200), "text/plain"],
    ]);
    assert.deepEqual(await read([formOf({ name: "", value: "" })]), [400, "a part of the form has no name"]);
    assert.deepEqual(await read(['--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n--b--\r\n']), [
      400,
      "a part of the form has no name",
    ]);
  });

  test("MULTI-018: rejects a part without Content-Disposition: form-data, for any split", async () => {
    const rejected = [400, "a part of the form has no Content-Disposition: form-data, or one that is malformed"];
    const sound = formOf({ name: "a", value: "1" }).toString().replace("--b--\r\n", "");
    const heads = {
      none: "Content-Type: text/plain\r\n\r\n",
      "no header": "\r\n",
      "another disposition": 'Content-Disposition: attachment; name="x"\r\n\r\n',
      "a line feed in its name": 'Content-Disposition: form-data; name="x\ny"\r\n\r\n',
    };
    for (const [what, head] of Object.entries(heads)) {
      const odd = `--b\r\n${head}value\r\n`;
      for (const body of [`${odd}${sound}--b--\r\n`, `${sound}${odd}--b--\r\n`, `${odd}--b--`])
        assert.deepEqual(await read([body]), rejected, what);
      const body = Buffer.from(`${sound}${odd}${sound}--b--\r\n`);
      assert.deepEqual(await read(Array.from(body, (byte) => Uint8Array.of(byte))), rejected, `${what}, byte by byte`);
    }
    const closed = `${sound}--b--\r\n--b\r\n\r\nan epilogue`;
    for (let at = 1; at < closed.length; at += 1)
      assert.deepEqual(await read([closed.slice(0, at), closed.slice(at)]), [["a", "1"]], `split at ${at}`);
  });

  test("MULTI-006: a limit that is undefined is the default", async () => {
    const undefinedLimits = { parts: undefined, files: undefined, fieldBytes: undefined, nameBytes: undefined };
    const cases: readonly [Buffer, number, string][] = [
      [formOf({ name: "n".repeat(256), value: "" }), 400, "a name in the form has more than 255 bytes"],
      [formOf({ name: "n", value: "v".repeat(65_537) }), 413, "a field may have at most 65536 bytes"],
      [
        formOf(...Array.from({ length: 101 }, () => ({ name: "f", filename: "f", value: "" }))),
        ...([413, "a form may have at most 100 files"] as const),
      ],
      [
        formOf(...Array.from({ length: 1_001 }, () => ({ name: "n", value: "" }))),
        ...([413, "a form may have at most 1000 parts"] as const),
      ],
    ];
    for (const [body, status, detail] of cases) {
      assert.deepEqual(await read([body]), [status, detail]);
      assert.deepEqual(await read([body], undefinedLimits), [status, detail]);
    }
  });

  test("closes the connection of a form that it does not read to its end, and keeps the parser's error", async () => {
    const rejected = async (body: Buffer | string, limits: MultipartLimits = {}): Promise<unknown> => {
      const source = {
        header: () => "multipart/form-data; boundary=b",
        bodyAsStream: () => streamOf(piecesOf([body])),
      };
      const reading = (async () => {
        for await (const part of multipart(source, limits)) assert.equal(part.name, "n");
      })();
      const error = await reading.catch((thrown: unknown) => thrown);
      assert.ok(error instanceof HttpError);
      return [error.status, error.headers, error.cause instanceof Error];
    };
    const headers = { Connection: "close" };
    const form = formOf({ name: "n", value: "12" });
    assert.deepEqual(
      [await rejected(form, { fieldBytes: 1 }), await rejected(form.subarray(0, -8)), await rejected("")],
      [
        [413, headers, false],
        [400, headers, true],
        [400, headers, true],
      ],
    );
  });

  test("names an invalid limit", () => {
    const source = { header: () => "", bodyAsStream: () => new ReadableStream<Uint8Array>() };
    for (const files of [-1, 1.5, "1", 2 ** 53, null])
      assert.throws(() => multipart(source, { files } as MultipartLimits), {
        code: "MULTIPART",
        message: `multipart: files is ${files}: a whole number from 0 on is allowed`,
      });
    assert.doesNotThrow(() => multipart(source, { files: 0, parts: undefined }));
    assert.throws(() => multipart(source, { fields: 1 } as MultipartLimits), {
      code: "MULTIPART",
      message: "multipart has no option fields: parts, files, fileBytes, fieldBytes, nameBytes can be set",
    });
  });
});

describe("multipart, while receiving", () => {
  test("reads a body of 64 MiB in pieces, one at a time", async () => {
    const piece = Buffer.alloc(65_536, "x");
    let sent = 0;
    let taken = 0;
    let most = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n');
      for (let count = 0; count < 1_024; count += 1) {
        sent += piece.length;
        most = Math.max(most, sent - taken);
        yield piece;
      }
      yield Buffer.from("\r\n--b--\r\n");
    }
    const app = Framework.create({ logger: quiet }).post("/", { maxBodyBytes: 2 ** 27 }, async (ctx) => {
      for await (const part of multipart(ctx))
        if (part.kind === "file")
          for await (const chunk of part.stream) {
            taken += chunk.length;
            if (taken < 2 ** 22) await new Promise((resolve) => setImmediate(resolve)); // A slow reader, for a while.
          }
      return { taken };
    });
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const request = { method: "POST", headers, body: streamOf(body()), duplex: "half" };
    const response = await app.fetch(new Request("http://localhost/", request as RequestInit));
    assert.deepEqual(await response.json(), { taken: 2 ** 26 });
    assert.ok(most <= 8 * piece.length, `${most} bytes were on the way`);
  });

  test("MULTI-008: drops the unread rest of a file when the next part is requested", async () => {
    const seen: unknown[] = [];
    const app = Framework.create({ logger: quiet }).post("/", async (ctx) => {
      const streams: ReadableStream<Uint8Array>[] = [];
      for await (const part of multipart(ctx)) {
        seen.push(part.name);
        if (part.kind === "file") streams.push(part.stream);
      }
      for (const stream of streams)
        await assert.rejects(stream.getReader().read(), {
          code: "PART_OVER",
          message:
            'the file "f" was not read whole when the next part was asked for, or the loop left: await it within the loop',
        });
      return "";
    });
    const file = { name: "f", filename: "f", value: "x".repeat(200_000) };
    const body = formOf(file, { name: "between", value: "" }, file);
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const response = await app.fetch(
      new Request("http://localhost/", { method: "POST", headers, body: new Uint8Array(body) }),
    );
    assert.deepEqual([response.status, seen], [200, ["f", "between", "f"]]);
  });

  /** A form that is read without an app. */
  const sourceOf = (...pieces: readonly Piece[]) => ({
    header: () => "multipart/form-data; boundary=b",
    bodyAsStream: () => streamOf(piecesOf(pieces)),
  });

  test("MULTI-001: gives a file as text and as a stream, and MULTI-008: nothing after its reading was aborted", async () => {
    const file = { name: "f", filename: "f", value: "grün" };
    const texts: string[] = [];
    for await (const part of multipart(sourceOf(formOf(file, file, file))))
      if (part.kind === "file" && texts.length === 0) texts.push(await part.text());
      else if (part.kind === "file" && texts.length === 1) texts.push(await new Response(part.stream).text());
      else if (part.kind === "file") {
        for await (const chunk of part) {
          texts.push(Buffer.from(chunk).toString());
          break;
        }
        await assert.rejects(part.text(), { code: "PART_OVER" });
      }
    assert.deepEqual(texts, ["grün", "grün", "grün"]);
  });

  test("MULTI-008: reads a file in one way. A second one fails, and never gets zeros for the bytes of the first", async () => {
    const again = { code: "PART_OVER", message: 'the file "f" has been read already: read it in one way, once' };
    /** A file in three pieces. */
    const file = async (): Promise<FilePart> => {
      const pieces = formOf({ name: "f", filename: "f", value: "123456" })
        .toString()
        .split(/(?<=12|34|56)/);
      const { value: part } = await multipart(sourceOf(...pieces)).next();
      assert.ok(part?.kind === "file");
      return part;
    };
    const firsts: Record<string, (part: FilePart) => Promise<unknown>> = {
      bytes: (part) => part.bytes(),
      text: (part) => part.text(),
      loop: async (part) => {
        for await (const chunk of part) assert.ok(chunk.length > 0);
      },
      "the stream, whole": (part) => new Response(part.stream).text(),
      "a piece of the stream": async (part) => {
        const reader = part.stream.getReader();
        await reader.read();
        reader.releaseLock();
      },
      "a loop that was left": async (part) => {
        for await (const chunk of part) if (chunk.length > 0) break;
      },
    };
    const folder = await mkdtemp(join(tmpdir(), "multipart-"));
    const seconds: Record<string, (part: FilePart) => Promise<unknown>> = {
      bytes: (part) => part.bytes(),
      text: (part) => part.text(),
      saveTo: (part) => part.saveTo(folder),
      loop: (part) => part[Symbol.asyncIterator]().next(),
    };
    try {
      for (const [first, read] of Object.entries(firsts))
        for (const [second, readAgain] of Object.entries(seconds)) {
          const part = await file();
          await read(part);
          await assert.rejects(readAgain(part), again, `${second} behind ${first}`);
        }
      assert.deepEqual(await readdir(folder), []);
    } finally {
      await rm(folder, { recursive: true });
    }
    const part = await file();
    const [whole, second] = await Promise.allSettled([part.bytes(), part.text()]);
    assert.deepEqual(
      [whole, second.status],
      [{ status: "fulfilled", value: new Uint8Array(Buffer.from("123456")) }, "rejected"],
    );
    await assert.rejects(part.stream.getReader().read(), again);
  });

  test("MULTI-001: a stream is one way of reading, for several readers in turn, and only from the first read on", async () => {
    const pieces = formOf({ name: "f", filename: "f", value: "123456" })
      .toString()
      .split(/(?<=12|34|56)/);
    for await (const part of multipart(sourceOf(...pieces))) {
      assert.ok(part.kind === "file");
      const reader = part.stream.getReader();
      assert.equal(Buffer.from((await reader.read()).value ?? "").toString(), "12");
      reader.releaseLock();
      const rest: Uint8Array[] = [];
      for await (const chunk of part.stream) rest.push(chunk);
      assert.equal(Buffer.concat(rest).toString(), "3456");
    }
    for await (const part of multipart(sourceOf(...pieces))) {
      assert.ok(part.kind === "file");
      const { stream } = part;
      assert.equal(await part.text(), "123456");
      assert.equal(stream, part.stream);
    }
  });

  test("MULTI-008: drops the unread rest of a file when the loop is left", async () => {
    const file = { name: "f", filename: "f", value: "12" };
    for (const body of [formOf(file), formOf(file, file)]) {
      const files: Part[] = [];
      for await (const part of multipart(sourceOf(body))) {
        files.push(part);
        break;
      }
      const [left] = files;
      assert.ok(left?.kind === "file");
      await assert.rejects(left.bytes(), { code: "PART_OVER" });
    }
  });

  test("MULTI-009: reads nothing of a body after a rejected part", async () => {
    let taken = 0;
    let isCancelled = false;
    const source = {
      header: () => "multipart/form-data; boundary=b",
      bodyAsStream: () =>
        new ReadableStream<Uint8Array>(
          {
            pull(controller) {
              taken += 1;
              controller.enqueue(new Uint8Array(formOf({ name: "", value: "1" })));
            },
            cancel() {
              isCancelled = true;
            },
          },
          { highWaterMark: 0 },
        ),
    };
    await assert.rejects(multipart(source).next(), { status: 400 });
    assert.deepEqual([taken, isCancelled], [1, true]);
  });

  test("reads nothing of the body for an unread stream, and keeps nothing of a cancelled one", async () => {
    let taken = 0;
    function* pieces(): Generator<Uint8Array> {
      const [head = "", rest = ""] = formOf({ name: "f", filename: "f", value: "12345" }).toString().split("12345");
      for (const piece of [`${head}1`, "23", "45", rest]) {
        taken += 1;
        yield Buffer.from(piece);
      }
    }
    const source = { header: () => "multipart/form-data; boundary=b", bodyAsStream: () => streamOf(pieces()) };
    for await (const part of multipart(source)) {
      assert.ok(part.kind === "file");
      const before = taken;
      const reader = part.stream.getReader();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(taken, before);
      assert.deepEqual(Buffer.from((await reader.read()).value ?? "").toString(), "1");
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(taken, before);
      await reader.cancel();
      await assert.rejects(part.bytes(), { code: "PART_OVER" });
    }
    assert.equal(taken, 4);
  });

  test("reads the body only up to the next part when that is requested", async () => {
    let taken = 0;
    function* pieces(): Generator<Uint8Array> {
      const file = { name: "f", filename: "f", value: "12345" };
      const parts = formOf(file, { name: "n", value: "of it" }, file)
        .toString()
        .split(/(?<=23|of it\r\n--b\r\n|45)/);
      for (const piece of parts) {
        taken += 1;
        yield Buffer.from(piece);
      }
    }
    const seen: unknown[] = [];
    const source = { header: () => "multipart/form-data; boundary=b", bodyAsStream: () => streamOf(pieces()) };
    for await (const part of multipart(source)) seen.push([part.name, taken]);
    assert.deepEqual(seen, [
      ["f", 1],
      ["n", 3],
      ["f", 4],
    ]);
    // After a file that was read whole there is nothing to read.
    seen.length = taken = 0;
    for await (const part of multipart(source)) {
      if (part.kind === "file") await part.bytes();
      seen.push([part.name, taken]);
    }
    assert.deepEqual(seen, [
      ["f", 3],
      ["n", 3],
      ["f", 6],
    ]);
  });

  test("MULTI-018: gives the parts before a rejected one first, when they come in one piece", async () => {
    const rejected = [
      { name: "", value: "1" },
      { name: "n".repeat(256), value: "1" },
      { name: "f", filename: "f".repeat(256), value: "1" },
    ];
    for (const part of rejected) {
      const body = formOf({ name: "a", value: "1" }, { name: "b", value: "2" }, part, { name: "c", value: "3" });
      const seen: unknown[] = [];
      await assert.rejects(
        async () => {
          for await (const part of multipart(sourceOf(body))) seen.push(await shown(part));
        },
        { status: 400, message: /^a (?:part of the form has no name|name in the form has more than 255 bytes)$/ },
      );
      assert.deepEqual(seen, [
        ["a", "1"],
        ["b", "2"],
      ]);
    }
  });

  test("MULTI-009: leaves the connection usable when the loop is left", async (t) => {
    const port = await serving(t, async (part) => {
      if (part.kind === "file") await part.stream.getReader().read();
      return "left";
    });
    const body = formOf({ name: "f", filename: "f", value: "x".repeat(400_000) }, { name: "n", value: "" });
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`;
    const socket = connect(port, "127.0.0.1");
    t.after(() => socket.destroy());
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    for (let count = 1; count <= 2; count += 1) {
      socket.write(head);
      socket.write(body);
      while (text.split("200 OK").length <= count) await once(socket, "data");
    }
    assert.equal(text.split("\r\n\r\nleft").length, 3);
  });

  test("gives the reader of a part an error when its client has left, and leaves no file", async (t) => {
    const folder = await temporary(t);
    const failed = signal<unknown>();
    const begun = signal<string>();
    const port = await serving(t, async (part) => {
      if (part.kind !== "file") return "";
      begun.resolve("");
      await part.saveTo(folder).catch((error: unknown) => {
        failed.resolve(error);
        throw error;
      });
      return "";
    });
    const socket = connect(port, "127.0.0.1");
    socket.write(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n",
    );
    socket.write('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhalf of');
    await begun.promise;
    socket.destroy();
    assert.ok((await failed.promise) instanceof ClientGoneError);
    assert.deepEqual(await readdir(folder), []);
  });

  test("saves a file under a random name, or the given one, when it is whole", async (t) => {
    const folder = await temporary(t);
    await writeFile(join(folder, "given.txt"), "before");
    const names: string[] = [];
    const app = Framework.create({ logger: quiet }).post("/", async (ctx) => {
      for await (const part of multipart(ctx)) {
        if (part.kind !== "file") continue;
        const saved = await part.saveTo(folder, part.name === "as" ? { as: "given.txt" } : {});
        names.push(saved.name);
        assert.deepEqual(saved, { path: join(folder, saved.name), name: saved.name, bytes: 5 });
      }
      return "";
    });
    const body = formOf(
      { name: "any", filename: "../../evil.PNG", value: "12345" },
      { name: "as", filename: "x", value: "67890" },
    );
    const send = async (bytes: Buffer): Promise<Response> =>
      app.fetch(
        new Request("http://localhost/", {
          method: "POST",
          headers: { "Content-Type": "multipart/form-data; boundary=b" },
          body: new Uint8Array(bytes),
        }),
      );
    assert.equal((await send(body)).status, 200);
    assert.match(names[0] ?? "", /^[0-9a-f-]{36}\.png$/);
    assert.deepEqual((await readdir(folder)).toSorted(), [names[0], "given.txt"].toSorted());
    assert.equal(await readFile(join(folder, "given.txt"), "utf8"), "67890");
    assert.equal((await send(body.subarray(0, -12))).status, 400);
    assert.equal(await readFile(join(folder, "given.txt"), "utf8"), "67890");
    assert.equal((await readdir(folder)).length, 3, "the first file of the body that is cut short was whole");
  });

  test("keeps a valid extension of the sender in the random name", async (t) => {
    const folder = await temporary(t);
    const extensions = {
      "a.tar.GZ": ".gz",
      "page.php.jpg": ".jpg",
      noname: "",
      "a.b_c": "",
      "a.png ": ".png",
      "a.jpg;x": "",
      [`a.${"x".repeat(16)}`]: `.${"x".repeat(16)}`,
      [`a.${"x".repeat(17)}`]: "",
    };
    const seen: Record<string, string> = {};
    const body = formOf(...Object.keys(extensions).map((filename) => ({ name: "f", filename, value: "" })));
    for await (const part of multipart(sourceOf(body)))
      if (part.kind === "file") seen[part.rawFilename ?? ""] = (await part.saveTo(folder)).name.slice(36);
    assert.deepEqual(seen, extensions);
  });

  test("names the missing file system", async (t) => {
    const { getBuiltinModule } = process;
    t.after(() => (process.getBuiltinModule = getBuiltinModule));
    for await (const part of multipart(sourceOf(formOf({ name: "f", filename: "f", value: "" })))) {
      assert.ok(part.kind === "file");
      Reflect.set(process, "getBuiltinModule", undefined);
      const saving = part.saveTo(tmpdir());
      process.getBuiltinModule = getBuiltinModule;
      await assert.rejects(saving, {
        code: "MULTIPART",
        message: "saveTo needs a file system, which this platform lacks: read part.stream instead",
      });
    }
  });

  test("rejects a path as the name of a saved file", async (t) => {
    const folder = await temporary(t);
    const port = await serving(t, async (part) => {
      if (part.kind !== "file") return "";
      for (const as of ["../a", "a/b", "..", ".", "", "a\0"])
        await assert.rejects(part.saveTo(folder, { as }), {
          code: "MULTIPART",
          message: `saveTo: as is ${JSON.stringify(as)}: a name without a separator is allowed`,
        });
      return "rejected";
    });
    const form = new FormData();
    form.append("f", new Blob(["x"]), "f");
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: form })).text(), "rejected");
  });

  test("MULTI-013: accepts names of prototype members as names", async () => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    assert.deepEqual(
      await read([formOf(...names.map((name) => ({ name, value: "v" })))]),
      names.map((name) => [name, "v"]),
    );
  });
});

/** A promise and its resolve function. */
function signal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

/** A server with a handler that reads only the first part. */
async function serving(t: TestContext, first: (part: Part) => Promise<string>): Promise<number> {
  const app = Framework.create({ host: "127.0.0.1", logger: quiet }).post("/", async (ctx) => {
    for await (const part of multipart(ctx)) return await first(part);
    return "nothing";
  });
  await app.start(0);
  t.after(() => app.stop({ graceMs: 0 }));
  return app.port;
}

async function temporary(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "multipart-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

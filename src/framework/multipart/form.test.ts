import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { expectTypeOf } from "expect-type";
import { Framework } from "framework";
import { z } from "zod";
import { openApi } from "../openapi/index.ts";
import { formOf, streamOf, type WrittenPart } from "./bodies.testkit.ts";
import { multipartForm, type UploadedFile } from "./index.ts";

const quiet = { warn: (): void => undefined, error: (): void => undefined };
const body = multipartForm({
  fields: z.object({ caption: z.string().min(2), tag: z.array(z.string()) }),
  files: {
    picture: { maxBytes: 10, types: ["image/png", "text/*"] },
    more: { maxBytes: 5, max: 2 },
    note: { maxBytes: 5, optional: true },
  },
});
const app = Framework.create({ logger: quiet }).post("/", { body, summary: "A picture" }, (ctx) => {
  const { fields, files } = ctx.input.body;
  expectTypeOf(fields).toEqualTypeOf<{ caption: string; tag: string[] }>();
  expectTypeOf(files.picture).toEqualTypeOf<UploadedFile>();
  expectTypeOf(files.more).toEqualTypeOf<readonly UploadedFile[]>();
  expectTypeOf(files.note).toEqualTypeOf<UploadedFile | undefined>();
  const { filename, mediaType, bytes } = files.picture;
  return { fields, picture: [filename, mediaType, bytes.length], more: files.more.length, note: files.note ?? null };
});

async function send(
  entries: readonly (readonly [string, string | Blob])[],
  to: Framework = app,
): Promise<readonly [number, unknown]> {
  const form = new FormData();
  for (const [name, value] of entries)
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "a/b.png");
  const response = await to.fetch(new Request("http://localhost/", { method: "POST", body: form }));
  const value = (await response.json()) as { errors?: unknown; detail?: string };
  return [response.status, value.errors ?? value.detail ?? value];
}

const png = new Blob(["12345678"], { type: "image/png" });

describe("multipartForm", () => {
  test("MULTI-014: passes the fields as the schema returns them, and the files, to the handler", async () => {
    assert.deepEqual(
      await send([
        ["caption", "Sky"],
        ["tag", "blue"],
        ["picture", png],
        ["more", new Blob(["1"])],
      ]),
      [200, { fields: { caption: "Sky", tag: ["blue"] }, picture: ["b.png", "image/png", 8], more: 1, note: null }],
    );
  });

  test("MULTI-015: rejects with all issues together, each at its field", async () => {
    const issue = (name: string, message: string): object => ({
      in: "body",
      path: [name],
      pointer: `/${name}`,
      message,
    });
    assert.deepEqual(
      await send([
        ["caption", "S"],
        ["tag", "x"],
        ["note", "text"],
        ["other", png],
        ["more", png.slice(0, 1)],
        ["more", png.slice(0, 1)],
        ["more", png.slice(0, 1)],
      ]),
      [
        422,
        [
          issue("caption", "Too small: expected string to have >=2 characters"),
          issue("note", "a file is expected"),
          issue("other", "no file is expected"),
          issue("more", "at most 2 files are allowed"),
          issue("picture", "a file is expected"),
        ],
      ],
    );
    const json = new Blob(["{}"], { type: "application/json" });
    assert.deepEqual(
      await send([
        ["caption", "Sky"],
        ["tag", "x"],
        ["picture", json],
      ]),
      [
        422,
        [
          issue("picture", "its type is application/json: image/png, text/* are allowed"),
          issue("more", "a file is expected"),
        ],
      ],
    );
    const over = await send([
      ["picture", png],
      ["picture", png],
    ]);
    assert.deepEqual((over[1] as readonly object[]).at(-2), issue("picture", "at most one file is allowed"));
    const large = new Blob(["12345678901"], { type: "text/plain" });
    assert.deepEqual(await send([["picture", large]]), [413, 'the file "picture" may have at most 10 bytes']);
  });

  test("awaits an asynchronous schema of the fields, and lists its issues before those of the files", async () => {
    const caption = z.string().refine(async (text) => (await Promise.resolve(text)) !== "taken", "is taken");
    const late = Framework.create({ logger: quiet }).post(
      "/",
      { body: multipartForm({ fields: z.object({ caption }), files: { picture: { maxBytes: 10 } } }) },
      (ctx) => ({ fields: ctx.input.body.fields, picture: ctx.input.body.files.picture.bytes.length }),
    );
    assert.deepEqual(
      await send(
        [
          ["caption", "Sky"],
          ["picture", png],
        ],
        late,
      ),
      [200, { fields: { caption: "Sky" }, picture: 8 }],
    );
    const [status, issues] = await send([["caption", "taken"]], late);
    assert.deepEqual(
      [status, (issues as { pointer: string; message: string }[]).map((one) => `${one.pointer} ${one.message}`)],
      [422, ["/caption is taken", "/picture a file is expected"]],
    );
  });

  test("is described as multipart/form-data with its fields and files", () => {
    const { paths } = openApi(app, { info: { title: "t", version: "1" } }) as unknown as {
      paths: Record<string, { post: { requestBody: unknown } }>;
    };
    const bytes = { type: "string", contentMediaType: "application/octet-stream" };
    assert.deepEqual(paths["/"]?.post.requestBody, {
      required: true,
      content: {
        "multipart/form-data": {
          schema: {
            type: "object",
            properties: {
              caption: { type: "string", minLength: 2 },
              tag: { type: "array", items: { type: "string" } },
              picture: bytes,
              more: { type: "array", items: bytes, maxItems: 2 },
              note: bytes,
            },
            required: ["caption", "tag", "picture", "more"],
          },
        },
      },
    });
  });

  test("is described as an object with any fields when it has no schema for them", () => {
    const body = multipartForm({});
    const open = Framework.create({ logger: quiet }).post("/", { body, summary: "Anything" }, () => "");
    const { paths } = openApi(open, { info: { title: "t", version: "1" } }) as unknown as {
      paths: Record<string, { post: { requestBody: unknown } }>;
    };
    assert.deepEqual(paths["/"]?.post.requestBody, {
      required: true,
      content: { "multipart/form-data": { schema: { type: "object", properties: {}, required: [] } } },
    });
    const { version, vendor } = body.form["~standard"];
    assert.deepEqual([version, vendor], [1, "framework"]);
  });

  test("MULTI-015: accepts a file of the rule's types, and gives an empty list when none came", async () => {
    const typed = Framework.create({ logger: quiet }).post(
      "/",
      { body: multipartForm({ files: { text: { maxBytes: 5, max: 2, types: ["text/*"], optional: true } } }) },
      (ctx) => ctx.input.body.files.text.map(({ mediaType }) => mediaType),
    );
    const ask = async (type: string): Promise<unknown> =>
      send([["text", new Blob(["1"], { type })]], typed).then(([, value]) => value);
    assert.deepEqual(await send([["a", "1"]], typed), [200, []]);
    assert.deepEqual(await ask("text/csv"), ["text/csv"]);
    for (const type of ["tex/csv", "text", "x/text/csv", `tex/${"x".repeat(80)}`]) {
      const [issue] = (await ask(type)) as { message: string }[];
      assert.equal(issue?.message, `its type is ${type.slice(0, 64)}: text/* is allowed`);
    }
  });

  test("accepts any field without a schema", async () => {
    const open = Framework.create({ logger: quiet }).post(
      "/",
      { body: multipartForm({}) },
      (ctx) => ctx.input.body.fields,
    );
    const form = new FormData();
    form.append("a", "1");
    form.append("b", "2");
    form.append("b", "3");
    const response = await open.fetch(new Request("http://localhost/", { method: "POST", body: form }));
    assert.deepEqual(await response.json(), { a: "1", b: ["2", "3"] });
  });

  test("MULTI-015: accepts a file of exactly the allowed size, with its one type in any case", async () => {
    const one = multipartForm({ files: { a: { maxBytes: 3, types: ["Image/PNG"] } } });
    const single = Framework.create({ logger: quiet }).post(
      "/",
      { body: one },
      (ctx) => ctx.input.body.files.a.filename,
    );
    const ask = async (type: string, bytes = "123"): Promise<readonly [number, string]> => {
      const form = new FormData();
      form.append("a", new Blob([bytes], { type }), "a.png");
      const response = await single.fetch(new Request("http://localhost/", { method: "POST", body: form }));
      return [response.status, await response.text()];
    };
    assert.deepEqual(await ask("image/png"), [200, "a.png"]);
    const [status, text] = await ask("image/pngs");
    assert.equal(status, 422);
    assert.match(text, /its type is image\/pngs: Image\/PNG is allowed/);
    assert.equal((await ask("image/png", "1234"))[0], 413);
    const { files } = one.multipart;
    const schema = { type: "string", contentMediaType: "Image/PNG" };
    assert.deepEqual(files, { a: { schema, isRequired: true } });
  });

  test("MULTI-015: rejects a file as soon as it is too large, and reads no more of it", async () => {
    const limited = Framework.create({ logger: quiet }).post(
      "/",
      { body: multipartForm({ files: { a: { maxBytes: 100_000 } } }), maxBodyBytes: 50_000_000 },
      (ctx) => ctx.input.body.files.a.bytes.length,
    );
    let taken = 0;
    function* pieces(count: number): Generator<Uint8Array> {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n');
      for (taken = 0; taken < count; taken += 1) yield Buffer.alloc(50_000, "x");
      yield Buffer.from("\r\n--b--\r\n");
    }
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const sent = async (count: number): Promise<Response> => {
      const init = { method: "POST", headers, body: streamOf(pieces(count)), duplex: "half" } as RequestInit;
      return limited.fetch(new Request("http://localhost/", init));
    };
    assert.equal(await (await sent(2)).text(), "100000");
    const response = await sent(500);
    const { detail } = (await response.json()) as { detail: string };
    assert.deepEqual([response.status, detail], [413, 'the file "a" may have at most 100000 bytes']);
    assert.ok(taken < 10, `${taken} pieces were taken`);
  });

  test("MULTI-014: treats an empty file input as missing: no name and no bytes, of any type", async () => {
    const files = {
      picture: { maxBytes: 5, types: ["image/png"], optional: true },
      note: { maxBytes: 5, optional: true },
      more: { maxBytes: 5, max: 1, optional: true },
      needed: { maxBytes: 5 },
    } as const;
    const inputs = Framework.create({ logger: quiet }).post("/", { body: multipartForm({ files }) }, (ctx) => {
      const { picture, note, more, needed } = ctx.input.body.files;
      return { is: [picture?.filename, note?.filename, more.map(({ filename }) => filename), needed.bytes.length] };
    });
    const asked = async (sent: Iterable<Uint8Array>): Promise<unknown> => {
      const headers = { "Content-Type": "multipart/form-data; boundary=b" };
      const init = { method: "POST", headers, body: streamOf(sent), duplex: "half" } as RequestInit;
      const response = await inputs.request("/", init);
      const value = (await response.json()) as { is?: unknown; errors?: { pointer: string; message: string }[] };
      return value.is ?? [response.status, value.errors?.map(({ pointer, message }) => `${pointer} ${message}`)];
    };
    const ask = async (...parts: readonly WrittenPart[]): Promise<unknown> => {
      const whole = formOf(...parts);
      const outcome = await asked([whole]);
      assert.deepEqual(await asked([...whole].map((byte) => Uint8Array.of(byte))), outcome);
      return outcome;
    };
    const empty = (name: string): WrittenPart => ({ name, filename: "", type: "application/octet-stream", value: "" });
    const all = ["picture", "note", "more", "more", "unknown"].map(empty);
    const needed = { name: "needed", filename: "n", value: "" };
    assert.deepEqual(await ask(...all, needed), [null, null, [], 0]);
    assert.deepEqual(await ask(needed, ...all, empty("needed")), [null, null, [], 0]);
    assert.deepEqual(await ask(...all, empty("needed")), [422, ["/needed a file is expected"]]);
    const nameless = { name: "needed", type: "application/octet-stream", value: "" };
    assert.deepEqual(await ask(nameless), [422, ["/needed a file is expected"]]);
    // With bytes, or with a name, it is a file like any other.
    assert.deepEqual(await ask(needed, { ...empty("note"), value: "1" }), [null, "unnamed", [], 0]);
    assert.deepEqual(await ask(needed, { ...empty("picture"), value: "1" }, { ...empty("unknown"), value: "1" }), [
      422,
      ["/picture its type is application/octet-stream: image/png is allowed", "/unknown no file is expected"],
    ]);
    assert.deepEqual(await ask(needed, { ...empty("picture"), filename: "p" }), [
      422,
      ["/picture its type is application/octet-stream: image/png is allowed"],
    ]);
  });

  test("MULTI-004: responds 400 to a form cut short within a file without a name, and never drops the file", async () => {
    const body = multipartForm({ files: { a: { maxBytes: 5, optional: true } } });
    const short = Framework.create({ logger: quiet }).post("/", { body }, () => "taken");
    const whole = new Uint8Array(formOf({ name: "a", filename: "", type: "image/png", value: "" }));
    const headers = { "Content-Type": "multipart/form-data; boundary=b" };
    const statuses: number[] = [];
    for (let at = whole.length - 11; at <= whole.length - 2; at += 1)
      statuses.push((await short.request("/", { method: "POST", headers, body: whole.subarray(0, at) })).status);
    assert.deepEqual([...new Set(statuses.slice(0, -1)), statuses.at(-1)], [400, 200]);
  });

  test("names an invalid rule", () => {
    const count = "a whole number from 1 on is";
    const types = "a list of media types such as image/png and image/* is";
    const flag = "true or false is";
    for (const [setting, value, allowed] of [
      ...[0, 1.5, "1", null].map((maxBytes) => ["maxBytes", maxBytes, count] as const),
      ...[0, "2", null].map((max) => ["max", max, count] as const),
      ...[
        "image/png",
        [],
        ["*/*"],
        ["image"],
        ["image/png", 1],
        [["image/png"]],
        ["image/*; q=1"],
        [" image/png"],
        null,
      ].map((list) => ["types", list, types] as const),
      ...["no", 1, null].map((optional) => ["optional", optional, flag] as const),
    ])
      assert.throws(
        () => multipartForm({ files: { picture: { maxBytes: 1, [setting]: value } as { maxBytes: number } } }),
        {
          name: "TypeError",
          code: "MULTIPART",
          message: `multipartForm: ${setting} of the file "picture" is ${JSON.stringify(value)}: ${allowed} allowed`,
        },
      );
    assert.throws(() => multipartForm({ files: { a: {} as { maxBytes: number } } }), {
      code: "MULTIPART",
      message: `multipartForm: maxBytes of the file "a" is undefined: ${count} allowed`,
    });
    const unset = { maxBytes: 1, max: undefined, types: undefined, optional: undefined };
    const each = { maxBytes: 1, max: 1, types: ["image/svg+xml", "application/vnd.a-b.c", "Text/*"], optional: false };
    assert.doesNotThrow(() => multipartForm({ files: { unset, each }, fields: undefined, limits: undefined }));
  });

  test("names an unknown option of a form, or of a file's rule", () => {
    const options = "fields, files, limits";
    for (const [given, message] of [
      [{ file: {}, field: 1 }, `multipartForm has no option file: ${options} can be set; did you mean files?`],
      [undefined, `multipartForm is undefined: an object of ${options} is allowed`],
      [
        { files: { a: { maxBytes: 1, type: ["image/png"] } } },
        'multipartForm: the file "a" has no option type: maxBytes, types, optional, max can be set; did you mean types?',
      ],
      [
        { files: { a: null } },
        'multipartForm: the file "a" is null: an object of maxBytes, types, optional, max is allowed',
      ],
    ] as const)
      assert.throws(() => multipartForm(given as object), { name: "TypeError", code: "MULTIPART", message });
  });
});

/** Forms with files. Spec: multipart.md (MULTI). */
import { createHash } from "node:crypto";
import { Type } from "typebox";
import { SubjectId, SubjectSkipped, SubjectUpload, SubjectUploadForm } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

const boundary = "a-Boundary.1";
const formType = `multipart/form-data; boundary=${boundary}`;

/** A part as it is sent: with this content, and a file if it has a filename. */
interface Sent {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content?: string | Buffer;
}

/** One part, with a head of that many lines. */
const partOf = (lines: readonly string[], content: string | Buffer = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);

const end = Buffer.from(`--${boundary}--\r\n`);

function formOf(...parts: readonly (Sent | Buffer)[]): Buffer {
  const written = parts.map((part) => {
    if (!("name" in part)) return part;
    const { name, filename, type, content } = part;
    const file = filename === undefined ? "" : `; filename="${filename}"`;
    const disposition = `Content-Disposition: form-data; name="${name}"${file}`;
    return partOf([disposition, ...(type === undefined ? [] : [`Content-Type: ${type}`])], content);
  });
  return Buffer.concat([...written, end]);
}

const send = (probe: Probe, target: string, body: string | Buffer, type = formType): Promise<HttpResponse> =>
  probe.send("POST", target, { headers: type === "" ? {} : { "content-type": type }, body });

/** The statuses of forms that are sent one after the other. */
async function statuses(probe: Probe, forms: readonly (string | Buffer)[]): Promise<readonly number[]> {
  const seen: number[] = [];
  for (const form of forms) seen.push((await send(probe, "/uploads", form)).status);
  return seen;
}

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const field = (name: string, text: string): object => ({ name, text });
const field1: Sent = { name: "a", content: "1" };
/** Every byte, and what looks like the end of a part and is none. */
const bytes = Buffer.concat([
  Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 31) % 256)),
  Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n\r\n--`),
]);
const Rejected = Type.Object({ errors: Type.Array(Type.Object({ in: Type.String(), pointer: Type.String() })) });

/** A form whose first part has that name, and much behind it. */
const longForm = (name: string): Buffer =>
  formOf({ name }, { name: "f", filename: "f", content: "x".repeat(200_000) }, field1);

/** The cases of this chapter. */
export const multipart = [
  proves("MULTI-001", "gives the parts in their order, files byte for byte", async (probe) => {
    const title = `Über den ${probe.token()}`;
    const response = await send(
      probe,
      "/uploads",
      formOf(
        { name: "title", content: title },
        { name: "picture", filename: "wolke ü.png", type: "image/png", content: bytes },
        { name: "title" },
        { name: "empty", filename: "none.bin", type: "text/plain" },
      ),
    );
    probe.equal("status", response.status, 200);
    const picture = { filename: "wolke ü.png", rawFilename: "wolke ü.png", mediaType: "image/png" };
    const none = { filename: "none.bin", rawFilename: "none.bin", mediaType: "text/plain" };
    probe.equal("the parts", probe.json(SubjectUpload, response).parts, [
      field("title", title),
      { name: "picture", file: { ...picture, bytes: bytes.length, sha256: sha256(bytes) } },
      field("title", ""),
      { name: "empty", file: { ...none, bytes: 0, sha256: sha256("") } },
    ]);
  }),

  proves("MULTI-001", "gives no part of a form without any", async (probe) => {
    probe.equal("the parts", probe.json(SubjectUpload, await send(probe, "/uploads", formOf())).parts, []);
  }),

  proves("MULTI-002", "finds the same parts in whatever pieces they come", async (probe) => {
    const text = "\r\n--\r";
    // As short as can be: each of its bytes is a millisecond.
    const head = 'Content-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: a/b';
    const body = `--b\r\n${head}\r\n\r\n${text}\r\n--b--\r\n`;
    const type = "multipart/form-data; boundary=b";
    const names = { filename: "f", rawFilename: "f", mediaType: "a/b" };
    const parts = [{ name: "f", file: { ...names, bytes: text.length, sha256: sha256(text) } }];
    probe.equal("in one", probe.json(SubjectUpload, await send(probe, "/uploads", body, type)).parts, parts);
    if (!probe.speaksHttp1) return;
    const fields = `Host: ${probe.base.host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
    const whole = `POST /uploads HTTP/1.1\r\n${fields}\r\n\r\n${body}`;
    const [response] = (await probe.raw(whole, { responses: 1, apart: true })).responses;
    probe.equal("status", response?.status, 200);
    if (response) probe.equal("byte by byte", probe.json(SubjectUpload, response).parts, parts);
  }),

  proves("MULTI-003", "responds 415 to a body of another media type", async (probe) => {
    const types = ["application/json", `multipart/mixed; boundary=${boundary}`, "", formType];
    const seen: unknown[] = [];
    for (const type of types) seen.push((await send(probe, "/uploads", formOf(field1), type)).status);
    probe.equal("the statuses, the last one of a form", seen, [415, 415, 415, 200]);
  }),

  proves("MULTI-004", "responds 400 to a form without a boundary", async (probe) => {
    const seen: unknown[] = [];
    for (const parameter of ["", "; boundary=", `; boundary=${"x".repeat(71)}`, `; boundary="${boundary}"`])
      seen.push((await send(probe, "/uploads", formOf(field1), `multipart/form-data${parameter}`)).status);
    probe.equal("the statuses, the last one with a boundary", seen, [400, 400, 400, 200]);
  }),

  proves("MULTI-004", "responds 400 to a form that ends before its last boundary, wherever it ends", async (probe) => {
    const whole = formOf(field1, { name: "f", filename: "f", content: "twelve bytes" });
    const last = whole.lastIndexOf("--");
    const ends = [0, 1, boundary.length, 40, whole.indexOf("1\r\n"), whole.indexOf("twelve") + 3, last - 3, last];
    const cut = ends.map((at) => whole.subarray(0, at));
    const expected = [400, ...ends.map(() => 400), 200];
    probe.equal("the statuses", await statuses(probe, ["no boundary at all", ...cut, whole]), expected);
  }),

  proves("MULTI-005", "responds 413 to more parts, files and bytes than are allowed", async (probe) => {
    const file = (length: number): Sent => ({ name: "f", filename: "f", content: "x".repeat(length) });
    const text = (length: number): Sent => ({ name: "a", content: "x".repeat(length) });
    const fields = (count: number): readonly Sent[] => Array.from({ length: count }, () => text(1));
    const forms = [
      [formOf(...fields(6)), formOf(...fields(7))],
      [formOf(file(1), file(1)), formOf(file(1), file(1), file(1))],
      [formOf(file(100_000)), formOf(file(100_001))],
      [formOf(text(100)), formOf(text(101))],
    ];
    const seen: unknown[] = [];
    for (const pair of forms) seen.push(await statuses(probe, pair));
    probe.equal(
      "the statuses at the limit and past it",
      seen,
      forms.map(() => [200, 413]),
    );
  }),

  proves("MULTI-006", "responds 400 to a part without a name, and to names that are too long", async (probe) => {
    const long = "n".repeat(255);
    const forms = [
      formOf({ name: "" }),
      formOf(partOf(["Content-Disposition: form-data"], "1")),
      formOf(partOf(['Content-Disposition: form-data; filename="a"'], "1")),
      formOf({ name: `${long}n` }),
      formOf({ name: "f", filename: `${long}n` }),
      formOf({ name: long }, { name: "f", filename: long }),
    ];
    probe.equal("the statuses", await statuses(probe, forms), [400, 400, 400, 400, 400, 200]);
  }),

  proves("MULTI-008", "drops what was not read of a file when the next part is asked for", async (probe) => {
    const file = { name: "f", filename: "f", content: "x".repeat(200_000) };
    const between = probe.token();
    const response = await send(probe, "/uploads/skipped", formOf(file, { name: between }, file));
    probe.equal("status", response.status, 200);
    probe.equal("the parts, and what reading them came to", probe.json(SubjectSkipped, response), {
      names: ["f", between, "f"],
      codes: ["PART_OVER", "PART_OVER"],
    });
    const none = await send(probe, "/uploads/skipped", formOf(field1));
    probe.equal("the same without a file", probe.json(SubjectSkipped, none), { names: ["a"], codes: [] });
  }),

  proves("MULTI-009", "responds when the first part was enough", async (probe) => {
    const name = probe.token();
    const alone = await send(probe, "/uploads/first", longForm(name));
    probe.equal("the status", alone.status, 200);
    probe.equal("the first part", probe.json(SubjectId, alone).id, name);
  }),

  // Where a platform parses, what becomes of the connection is its own affair: Deno and workerd close it.
  proves(
    "MULTI-009",
    "serves another request on the connection when the first part was enough",
    async (probe) => {
      const name = probe.token();
      const body = longForm(name);
      const host = `Host: ${probe.base.host}\r\n`;
      const head = `POST /uploads/first HTTP/1.1\r\n${host}Content-Type: ${formType}\r\nContent-Length: ${body.length}\r\n\r\n`;
      const next = `GET /users/${name} HTTP/1.1\r\n${host}\r\n`;
      const bytes = Buffer.concat([Buffer.from(head), body, Buffer.from(next)]);
      const { responses } = await probe.raw(bytes, { responses: 2 });
      const ids = responses.map((response) => [response.status, probe.json(SubjectId, response).id]);
      probe.equal("both responses", ids, [
        [200, name],
        [200, name],
      ]);
    },
    { features: ["parser"] },
  ),

  proves(
    "MULTI-011",
    "makes every name of a file safe as one step of a path, and tells what was sent",
    async (probe) => {
      const sent = [
        "../../etc/passwd",
        "/etc/passwd",
        "C:/fakepath/me.png",
        "..",
        ".",
        "/",
        "a/",
        `${"ü".repeat(120)}.png`,
      ];
      for (const filename of sent) {
        const response = await send(probe, "/uploads", formOf({ name: "f", filename, content: "1" }));
        const [part] = probe.json(SubjectUpload, response).parts;
        probe.equal("what was sent", part?.file?.rawFilename, filename);
        const safe = part?.file?.filename ?? "";
        // oxlint-disable-next-line no-control-regex -- they are what is looked for
        const isStep = safe !== "" && !/^\.{1,2}$|[/\\\u0000-\u001f]/.test(safe) && Buffer.byteLength(safe) <= 255;
        probe.ok(`the name of ${filename} is one step of a path`, isStep, safe);
      }
    },
  ),

  proves("MULTI-013", "takes a name that reaches a prototype for a name", async (probe) => {
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    const text = probe.token();
    const response = await send(probe, "/uploads", formOf(...names.map((name) => ({ name, content: text }))));
    probe.equal(
      "the parts",
      probe.json(SubjectUpload, response).parts,
      names.map((name) => field(name, text)),
    );
  }),

  proves("MULTI-014", "gives a route its fields as their schema returns them, and its files by name", async (probe) => {
    const content = Buffer.from(`not quite a picture: ${probe.token()}`);
    const picture: Sent = { name: "picture", filename: "a/b.png", type: "image/png", content };
    const title: Sent = { name: "title", content: "Sky" };
    const copies: Sent = { name: "copies", content: "12" };
    const tags: readonly Sent[] = ["blue", "wide"].map((tag) => ({ name: "tag", content: tag }));
    const response = await send(probe, "/uploads/form", formOf(title, ...tags, picture, copies));
    probe.equal("status", response.status, 200);
    const file = { filename: "b.png", rawFilename: "a/b.png", mediaType: "image/png" };
    const received = { ...file, bytes: content.length, sha256: sha256(content) };
    const expected = { title: "Sky", copies: 12, tags: ["blue", "wide"], picture: received };
    probe.equal("what the handler got", probe.json(SubjectUploadForm, response), expected);
    const jpeg = { ...picture, filename: "c.jpg", type: "image/jpeg", content: "" };
    const other = formOf({ ...copies, content: "1" }, jpeg, { ...title, content: "Sea" });
    probe.equal("what it got of another", probe.json(SubjectUploadForm, await send(probe, "/uploads/form", other)), {
      title: "Sea",
      copies: 1,
      tags: [],
      picture: { filename: "c.jpg", rawFilename: "c.jpg", mediaType: "image/jpeg", bytes: 0, sha256: sha256("") },
    });
  }),

  proves("MULTI-015", "names every issue of such a form in one 422, each at its field", async (probe) => {
    const issues = async (form: Buffer): Promise<unknown> => {
      const response = await send(probe, "/uploads/form", form);
      probe.equal("status", response.status, 422);
      const places = probe.json(Rejected, response).errors.map(({ in: part, pointer }) => `${part} ${pointer}`);
      return [...new Set(places)].toSorted();
    };
    const file: Sent = { name: "other", filename: "f" };
    const wrong = formOf({ name: "title", content: "S" }, { name: "copies", content: "none" }, file);
    const expected = ["body /copies", "body /other", "body /picture", "body /title"];
    probe.equal("the issues of a form", await issues(wrong), expected);
    const text: Sent = { name: "picture", filename: "f", type: "text/plain" };
    const fields = [
      { name: "title", content: "Sky" },
      { name: "copies", content: "1" },
    ];
    probe.equal("the issues of a file of another type", await issues(formOf(...fields, text)), ["body /picture"]);
  }),

  proves("MULTI-018", "responds 400 to a part without Content-Disposition: form-data", async (probe) => {
    const heads = [[], ["Content-Type: text/plain"], ['Content-Disposition: attachment; name="x"']];
    const odd = heads.map((lines) => partOf(lines, "value"));
    const forms = odd.flatMap((part) => [formOf(field1, part), formOf(part, field1)]);
    const expected = [...forms.map(() => 400), 200];
    probe.equal(
      "the statuses, the last one of a sound form",
      await statuses(probe, [...forms, formOf(field1)]),
      expected,
    );
  }),
];

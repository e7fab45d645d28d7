/** Forms with files as data. Spec: multipart.md (MULTI). */
import { createHash } from "node:crypto";
import { holds, shows, step, type Expectation, type Step, type VectorContent } from "./vector.ts";

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

/** A form as text where it is one, so that marks in it are filled. */
function contentOf(body: Buffer | string, type: string): VectorContent {
  const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
  const text = String(body);
  return Buffer.from(text).equals(Buffer.from(body))
    ? { headers, body: text }
    : { headers, base64: Buffer.from(body).toString("base64") };
}

const send = (target: string, body: Buffer | string, expect: Expectation, type = formType): Step =>
  step("POST", target, expect, contentOf(body, type));
const upload = (body: Buffer | string, status: number): Step => send("/uploads", body, { status });
const got = (parts: readonly object[]): Expectation => ({ status: 200, body: { json: { parts: [...parts] } } });

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const field = (name: string, text: string): object => ({ name, text });
const fileOf = (filename: string, mediaType: string, content: string | Buffer, rawFilename = filename): object => ({
  filename,
  rawFilename,
  mediaType,
  bytes: content.length,
  sha256: sha256(content),
});

const field1: Sent = { name: "a", content: "1" };
/** Every byte, and what looks like the end of a part and is none. */
const bytes = Buffer.concat([
  Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 31) % 256)),
  Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n\r\n--`),
]);
const file = (length: number): Sent => ({ name: "f", filename: "f", content: `{{x*${length}}}` });
const text = (length: number): Sent => ({ name: "a", content: "x".repeat(length) });
const fields = (count: number): readonly Sent[] => Array.from({ length: count }, () => text(1));

/** At the limit and past it. */
const limits: readonly (readonly [Buffer, Buffer])[] = [
  [formOf(...fields(6)), formOf(...fields(7))],
  [formOf(file(1), file(1)), formOf(file(1), file(1), file(1))],
  [formOf(file(100_000)), formOf(file(100_001))],
  [formOf(text(100)), formOf(text(101))],
];

const whole = formOf(field1, { name: "f", filename: "f", content: "twelve bytes" });
const last = whole.lastIndexOf("--");
const ends = [0, 1, boundary.length, 40, whole.indexOf("1\r\n"), whole.indexOf("twelve") + 3, last - 3, last];

const long = "n".repeat(255);
const unnamed = [
  formOf({ name: "" }),
  formOf(partOf(["Content-Disposition: form-data"], "1")),
  formOf(partOf(['Content-Disposition: form-data; filename="a"'], "1")),
  formOf({ name: `${long}n` }),
  formOf({ name: "f", filename: `${long}n` }),
];
const unsafe = [
  "../../etc/passwd",
  "/etc/passwd",
  "C:/fakepath/me.png",
  "C:\\fakepath\\me.png",
  "..",
  ".",
  "/",
  "a/",
  `${"ü".repeat(120)}.png`,
];

const picture: Sent = { name: "picture", filename: "a/b.png", type: "image/png", content: "no picture: {{token}}" };
const title: Sent = { name: "title", content: "Sky" };
const copies: Sent = { name: "copies", content: "12" };
const tags: readonly Sent[] = ["blue", "wide"].map((tag) => ({ name: "tag", content: tag }));
const jpeg: Sent = { ...picture, filename: "c.jpg", type: "image/jpeg", content: "" };
const places = (pointers: string[], parts: readonly string[]): Expectation => ({
  status: 422,
  body: { at: { "/errors/*/pointer": { members: pointers }, "/errors/*/in": { is: [...parts] } } },
});

const odd = [[], ["Content-Type: text/plain"], ['Content-Disposition: attachment; name="x"']].map((lines) =>
  partOf(lines, "value"),
);

/** The vectors of this chapter. */
export const multipart = [
  shows("MULTI-001", "the parts come in their order, files byte for byte", [
    send(
      "/uploads",
      formOf(
        { name: "title", content: "Über den Wolken" },
        { name: "picture", filename: "wolke ü.png", type: "image/png", content: bytes },
        { name: "title" },
        { name: "empty", filename: "none.bin", type: "text/plain" },
      ),
      got([
        field("title", "Über den Wolken"),
        { name: "picture", file: fileOf("wolke ü.png", "image/png", bytes) },
        field("title", ""),
        { name: "empty", file: fileOf("none.bin", "text/plain", "") },
      ]),
    ),
    send("/uploads", formOf({ name: "title", content: "{{token}}" }), got([field("title", "{{token}}")])),
    send("/uploads", formOf(), got([])),
  ]),
  shows("MULTI-003", "a body of another media type gets 415", [
    ...["application/json", `multipart/mixed; boundary=${boundary}`, ""].map((type) =>
      send("/uploads", formOf(field1), { status: 415 }, type),
    ),
    upload(formOf(field1), 200),
  ]),
  shows("MULTI-004", "a form without a boundary gets 400", [
    ...["", "; boundary=", `; boundary=${"x".repeat(71)}`].map((parameter) =>
      send("/uploads", formOf(field1), { status: 400 }, `multipart/form-data${parameter}`),
    ),
    send("/uploads", formOf(field1), { status: 200 }, `multipart/form-data; boundary="${boundary}"`),
  ]),
  shows("MULTI-004", "a form that ends before its last boundary gets 400, wherever it ends", [
    upload("no boundary at all", 400),
    ...ends.map((at) => upload(whole.subarray(0, at), 400)),
    upload(whole, 200),
  ]),
  shows(
    "MULTI-005",
    "more parts, files and bytes than are allowed get 413",
    limits.flatMap(([within, past]) => [upload(within, 200), upload(past, 413)]),
  ),
  shows("MULTI-006", "a part without a name gets 400, and names that are too long do", [
    ...unnamed.map((form) => upload(form, 400)),
    upload(formOf({ name: long }, { name: "f", filename: long }), 200),
  ]),
  shows("MULTI-008", "what was not read of a file is dropped when the next part is asked for", [
    send("/uploads/skipped", formOf(file(200_000), { name: "{{token}}" }, file(200_000)), {
      status: 200,
      body: { json: { names: ["f", "{{token}}", "f"], codes: ["PART_OVER", "PART_OVER"] } },
    }),
    send("/uploads/skipped", formOf(field1), { body: { json: { names: ["a"], codes: [] } } }),
  ]),
  shows("MULTI-009", "the response comes when the first part was enough", [
    send("/uploads/first", formOf({ name: "{{token}}" }, file(200_000), field1), {
      status: 200,
      body: { json: { id: "{{token}}" } },
    }),
  ]),
  shows(
    "MULTI-011",
    "every name of a file is safe as one step of a path, beside what was sent",
    unsafe.map((filename) =>
      send("/uploads", formOf({ name: "f", filename, content: "1" }), {
        status: 200,
        body: {
          at: {
            "/parts/0/file/rawFilename": { is: filename },
            "/parts/0/file/filename": { matches: "^(?!\\.{1,2}$)[^/\\\\\\x00-\\x1f]{1,127}$" },
          },
        },
      }),
    ),
  ),
  shows("MULTI-013", "a name that reaches a prototype is a name", [
    send(
      "/uploads",
      formOf(
        ...["__proto__", "constructor", "toString", "hasOwnProperty"].map((name) => ({ name, content: "{{token}}" })),
      ),
      got(["__proto__", "constructor", "toString", "hasOwnProperty"].map((name) => field(name, "{{token}}"))),
    ),
  ]),
  shows("MULTI-014", "a route gets its fields as their schema returns them, and its files by name", [
    send("/uploads/form", formOf(title, ...tags, { ...picture, content: "no picture" }, copies), {
      status: 200,
      body: holds({
        title: "Sky",
        copies: 12,
        tags: ["blue", "wide"],
        picture: fileOf("b.png", "image/png", "no picture", "a/b.png"),
      }),
    }),
    send("/uploads/form", formOf({ ...copies, content: "1" }, jpeg, { ...title, content: "Sea" }), {
      body: holds({ title: "Sea", copies: 1, tags: [], picture: fileOf("c.jpg", "image/jpeg", "") }),
    }),
  ]),
  shows("MULTI-015", "one 422 names every issue of such a form, each at its field", [
    send(
      "/uploads/form",
      formOf({ name: "title", content: "S" }, { name: "copies", content: "none" }, { name: "other", filename: "f" }),
      places(["/copies", "/other", "/picture", "/title"], ["body", "body", "body", "body"]),
    ),
    send(
      "/uploads/form",
      formOf(title, { ...copies, content: "1" }, { name: "picture", filename: "f", type: "text/plain" }),
      places(["/picture"], ["body"]),
    ),
    send(
      "/uploads/form",
      formOf(
        title,
        copies,
        ...["a.png", "b.png"].map((filename) => ({ name: "picture", filename, type: "image/png" })),
      ),
      places(["/picture"], ["body"]),
    ),
  ]),
  shows("MULTI-018", "a part without Content-Disposition: form-data gets 400", [
    ...odd.flatMap((part) => [upload(formOf(field1, part), 400), upload(formOf(part, field1), 400)]),
    upload(formOf(field1), 200),
  ]),
];

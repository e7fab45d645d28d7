/** Forms with files. Spec: multipart.md (MULTI). */
import { createHash } from "node:crypto";
import { SubjectId, SubjectUpload } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

const boundary = "a-Boundary.1";
const formType = `multipart/form-data; boundary=${boundary}`;

/** A part to send: its content, and a file if it has a filename. */
interface Sent {
  readonly name: string;
  readonly filename?: string;
  readonly type?: string;
  readonly content?: string | Buffer;
}

/** One part, with these lines as its head. */
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

/** Sends a form byte by byte. */
async function sendApart(probe: Probe, body: string, type: string): Promise<HttpResponse | undefined> {
  const fields = `Host: ${probe.base.host}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}`;
  const whole = `POST /uploads HTTP/1.1\r\n${fields}\r\n\r\n${body}`;
  const [response] = (await probe.raw(whole, { responses: 1, apart: true })).responses;
  return response;
}

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");
const field1: Sent = { name: "a", content: "1" };

/** A form with a first part of that name, followed by much data. */
const longForm = (name: string): Buffer =>
  formOf({ name }, { name: "f", filename: "f", content: "x".repeat(200_000) }, field1);

/** The cases of this chapter that are not vectors. */
export const multipart = [
  proves("MULTI-002", "finds the same parts for any split of the bytes", async (probe) => {
    const text = "\r\n--\r";
    // As short as possible, since each byte takes a millisecond.
    const head = 'Content-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: a/b';
    const body = `--b\r\n${head}\r\n\r\n${text}\r\n--b--\r\n`;
    const type = "multipart/form-data; boundary=b";
    const names = { filename: "f", rawFilename: "f", mediaType: "a/b" };
    const parts = [{ name: "f", file: { ...names, bytes: text.length, sha256: sha256(text) } }];
    probe.equal("in one", probe.json(SubjectUpload, await send(probe, "/uploads", body, type)).parts, parts);
    if (!probe.speaksHttp1) return;
    const response = await sendApart(probe, body, type);
    probe.equal("status", response?.status, 200);
    if (response) probe.equal("byte by byte", probe.json(SubjectUpload, response).parts, parts);
  }),

  proves("MULTI-018", "rejects a part without Content-Disposition for any split of the bytes", async (probe) => {
    if (!probe.speaksHttp1) return;
    const body = "--b\r\nContent-Type: a/b\r\n\r\nx\r\n--b--\r\n";
    probe.equal("status", (await sendApart(probe, body, "multipart/form-data; boundary=b"))?.status, 400);
  }),

  // If the platform parses the form, it decides about the connection: Deno and workerd close it.
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
];

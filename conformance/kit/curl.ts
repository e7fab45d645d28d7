/**
 * A request as a command: what a person pastes into a shell to see a failing exchange again.
 *
 *   GET /users/%zz   ──▶ curl -si -A '' -H accept: http://127.0.0.1:9100/users/%zz
 *   a body of bytes  ──▶ echo AAE= | base64 -d | curl … --data-binary @-
 *   /a/../b          ──▶ curl … --request-target /a/../b http://127.0.0.1:9100
 *
 * curl adds no header of its own but `Content-Length`, and a Host, which is empty where the request had none. What is no printable ASCII stands in `$'…'`, which bash and zsh read, so
 * that a command is one line and a terminal obeys nothing in it.
 */
import type { Sent } from "./exchange.ts";

/** Where a subject listens, and how it is spoken to. */
export interface Way {
  readonly url: string;
  readonly http2: boolean;
  readonly insecure: boolean;
}

/** Nobody pastes more; nor is a body of more bytes written out. */
const longestCommand = 4_000;
const longestBody = 1_000;

/** The command that sends it; undefined for bytes that hold no request, and for one that is too long to paste. */
export function curl(sent: Sent, way: Way): string | undefined {
  if (sent.method === "") return undefined;
  const { before, data, behind } = bodyOf(sent);
  const options = [...flagsOf(sent, way), ...headersOf(sent, way), ...data, ...urlOf(sent.target, way)];
  const command = `${before}curl ${options.join(" ")}${behind}`;
  return command.length > longestCommand ? undefined : command;
}

function flagsOf({ method, headers }: Sent, { url, http2, insecure }: Way): readonly string[] {
  const isTls = url.startsWith("https:");
  const protocol = isTls ? ["--http1.1", "--http2"] : [undefined, "--http2-prior-knowledge"];
  const isStream = headers.some(([name, value]) => /^accept$/i.test(name) && value.includes("text/event-stream"));
  return [
    isStream ? "-siN" : "-si",
    ...[protocol[Number(http2)] ?? []].flat(),
    ...(insecure && isTls ? ["-k"] : []),
    // Told by -X alone, curl waits for the body of a HEAD.
    ...(method === "HEAD" ? ["--head"] : method === "GET" ? [] : ["-X", quoted(method)]),
  ];
}

function headersOf({ headers, ...sent }: Sent, { url }: Way): readonly string[] {
  const length = String(bytesOf(sent).length);
  const own = { host: new URL(url).host, "content-length": length } as Readonly<Record<string, string>>;
  const given = headers.filter(([name, value]) => own[name.toLowerCase()] !== value);
  const has = (wanted: string): boolean => headers.some(([name]) => name.toLowerCase() === wanted);
  const added = ["host", "accept", ...(length === "0" ? [] : ["content-type"])].filter((name) => !has(name));
  return [
    ...(has("user-agent") ? [] : ["-A", "''"]),
    ...added.flatMap((name) => ["-H", `${name}:`]),
    // An empty value is written with a semicolon: with a colon it takes the header away.
    ...given.flatMap(([name, value]) => ["-H", quoted(value === "" ? `${name};` : `${name}: ${value}`, "latin1")]),
  ];
}

interface Body {
  readonly before: string;
  readonly data: readonly string[];
  readonly behind: string;
}

function bodyOf(sent: Sent): Body {
  const bytes = bytesOf(sent);
  const data = (...option: readonly string[]): Body => ({ before: "", data: option, behind: "" });
  if (bytes.length === 0) return data();
  if (bytes.length > longestBody) {
    const start = quoted(bytes.toString("latin1", 0, 20), "latin1");
    return { ...data("--data-binary", "@body"), behind: ` # body: ${bytes.length} bytes that begin with ${start}` };
  }
  if (!bytes.includes(0)) return data("--data-raw", quoted(bytes.toString("latin1"), "latin1"));
  return { ...data("--data-binary", "@-"), before: `echo ${bytes.toString("base64")} | base64 -d | ` };
}

const bytesOf = ({ body, bytes }: Pick<Sent, "body" | "bytes">): Buffer => bytes ?? Buffer.from(body);

/** Characters that curl sends in a path as they are, without dots that it would resolve. */
const plainTarget = /^\/(?!.*(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$))[\w\-.~%!$&'()*+,;=:@/?]*$/i;

function urlOf(target: string, { url }: Way): readonly string[] {
  const { origin } = new URL(url);
  return plainTarget.test(target) ? [quoted(origin + target)] : ["--request-target", quoted(target), origin];
}

/** A word of the shell. */
function quoted(text: string, encoding: "utf8" | "latin1" = "utf8"): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
  const characters = [...Buffer.from(text, encoding)].map((byte) =>
    byte < 32 || byte > 126 || byte === 39 || byte === 92 ? octal(byte) : String.fromCharCode(byte),
  );
  return `$'${characters.join("")}'`;
}

/**
 * A request as a command that a person pastes into a shell to repeat a failing exchange.
 *
 *   GET /users/%zz   ──▶ curl -si -A '' -H accept: http://127.0.0.1:9100/users/%zz
 *   a body of bytes  ──▶ echo AAE= | base64 -d | curl … --data-binary @-
 *   /a/../b          ──▶ curl … --request-target /a/../b http://127.0.0.1:9100
 *
 * curl adds only `Content-Length` and a Host, which is empty if the request had none. Characters other than printable ASCII
 * are in `$'…'`, which bash and zsh read. So a command is one line, and a terminal interprets nothing in it.
 */
import type { Sent } from "./exchange.ts";

/** The address and protocol of a subject. */
export interface Way {
  readonly url: string;
  readonly http2: boolean;
  readonly insecure: boolean;
}

/** Longer commands are impractical to paste. Longer bodies of bytes are not written out. */
const longestCommand = 4_000;
const longestBody = 1_000;

/** The command that sends it, or undefined for bytes without a request or if it is too long to paste. */
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
    // With only -X, curl waits for the body of a HEAD.
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
    // An empty value needs a semicolon: with a colon, curl removes the header.
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

/** Characters that curl sends unchanged in a path, without dots that it would resolve. */
const plainTarget = /^\/(?!.*(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$))[\w\-.~%!$&'()*+,;=:@/?]*$/i;

function urlOf(target: string, { url }: Way): readonly string[] {
  const { origin } = new URL(url);
  return plainTarget.test(target) ? [quoted(origin + target)] : ["--request-target", quoted(target), origin];
}

/** A shell word. */
function quoted(text: string, encoding: "utf8" | "latin1" = "utf8"): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (/^[ -~]*$/.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
  const characters = [...Buffer.from(text, encoding)].map((byte) =>
    byte < 32 || byte > 126 || byte === 39 || byte === 92 ? octal(byte) : String.fromCharCode(byte),
  );
  return `$'${characters.join("")}'`;
}

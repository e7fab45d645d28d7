/**
 * The parts of fuzzed requests, which are known to break servers. Each line is a list.
 */

/** The texts between bars and line ends, with JSON escapes. */
export const listed = (text: string): readonly string[] =>
  text
    .trim()
    .split(/ \| |\n */)
    .map((item) => JSON.parse(`"${item.replaceAll('"', '\\"')}"`) as string);
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Methods, some of them invalid. The first twelve are valid. */
export const methods: readonly string[] = [
  ...words(
    `GET GET GET HEAD POST POST PUT PATCH DELETE OPTIONS QUERY QUERY TRACE PROPFIND M-SEARCH PURGE get FOO CONNECT`,
  ),
  "",
];

/** Paths and pieces of paths. */
export const paths: readonly string[] = [
  ...words(`
    /canary /echo /any/a/b /files/a/b/c /r/text/1 /r/query/1 /upload /health /r/stream/1 /framework/dev
    /framework/dev/api/routes /framework/dev/api/graph /framework/dev/api/x /framework/developers / // /..
    /../.. /%2e%2e/ /a//b /any/%2F/%00 /any/%E0%A4%A/x /any/%ff/%c3%28 /any/__proto__/constructor
    /any/a%20b/%F0%9F%92%A9 /any/a;b=c/d,e * /#frag /any/a/b#x http://localhost/canary http://evil.test/canary
    https://[::1]:1/canary http:///canary //evil.test/canary /files/%2e%2e%2f%2e%2e /any/a/b/ /any/a/
  `),
  "/any/\u00e9/x",
  "\\\\evil\\canary",
];

/** Query strings. */
export const queries: readonly string[] = [
  ...words(
    `?a=1 ?a=1&a=2&b ?__proto__=1&constructor=2 ?%E0%A4%A=1 ?a=% ?&&&=&= ?a=b=c ?+=+ ?a[b]=1&a[__proto__][x]=1 ?a=%00 ?a=1?b=2`,
  ),
  "",
  "",
  `?${"a=1&".repeat(1_200)}`,
  `?x=${"y".repeat(9_000)}`,
];

/** Header lines, CRLF not included. */
export const headers: readonly string[] = [
  ...listed(`
    Accept: */* | Accept-Encoding: gzip;q=0, br | X-Request-Id: abc | X-Request-Id: a b | X-Framework-Dev: t1
    Cookie: ;;;=;=c; c | Origin: https://app.example | Origin: null | Access-Control-Request-Method: QUERY
    traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 | traceparent: ff-00-00-00
    tracestate: ,,= = | Via: 1.1 x | Sec-Fetch-Site: cross-site | If-None-Match: * | Last-Event-ID: x.1
    Expect: 100-continue | Expect: 200-ok | Connection: close | Connection: keep-alive, x | Range: bytes=0-
    __proto__: x | constructor: y | Host: evil.test | Host: 127.0.0.1 | Host: | Content-Length: 5
    Content-Length: -1 | Content-Length: 1e3 | Content-Length: 5, 5 | Content-Length: 99999999999999999999
    Transfer-Encoding: chunked | Transfer-Encoding: gzip, chunked | Transfer-Encoding : chunked | NoColon | : empty
    Trailer: X-T | Cookie: c=1; d=%E0%A4%A; e="x | Forwarded: for="[::1]";proto=https, for=_x
    Cookie: __Host-session=1.AAAA; s=x.y; =; s | Cookie: s="a.b; __Host-session= | Cookie: a=%; %=a; a=b=c
    Range: bytes=5-1 | Range: bytes=-0,1- | Range: bytes=99999999999999999999- | Range: lines=1-2 | If-Range: W/"a"
    If-Range: Tue, 99 Foo 2026 10:00:00 GMT | If-Match: "a" | If-Match: *, "a | If-None-Match: ,,W/"",
    If-Modified-Since: Tue, 24 Nov 2026 10:00:00 GMT | If-Unmodified-Since: 0 | Accept-Encoding: gzip;q=2, *;q=0, ;
    Accept-Encoding: identity;q=0 | Accept-Encoding: br;q=0.0000, zstd , gzip | Content-Type: multipart/form-data
    If-None-Match: "a", W/ | Content-Encoding: gzip | Content-Encoding: br, x | TE: trailers
  `),
  "User-Agent: \u001b[31mred",
  "User-Agent: x\u0085y\u009bz",
  "X-Request-Id: a\r\nX-Request-Id: b",
  `X-Request-Id: ${"a".repeat(200)}`,
  "X-Framework-Dev: \u00ff\u00fe",
  "Origin: \u00ff",
  "traceparent: 00-a\r\ntraceparent: 00-b",
  `tracestate: ${"a=1,".repeat(100)}`,
  "X-Forwarded-For: 1.1.1.1, \u00ff",
  "Sec-Fetch-Site: \u0080",
  "Upgrade: websocket\r\nConnection: upgrade",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "X\u0000Y: 1",
  "X-Y: a\u0000b",
  "X-Y:\tz\t",
  `X-Long: ${"l".repeat(17_000)}`,
  " Folded: x",
];

/** Content types. */
export const contentTypes: readonly string[] = [
  ...listed(`
    application/json | application/json; charset=utf-8 | APPLICATION/JSON | application/problem+json | text/plain
    application/json; | application/json; charset | application/json garbage | application//json | / | json
    application/json, text/plain | text/plain; charset=utf-16 | multipart/form-data; boundary=x
  multipart/form-data; boundary=x | Multipart/Form-Data; a=b; boundary="x" | multipart/form-data; boundary=
  `),
  'application/json; a="\\',
  "application/json\tx",
  "",
];

/** Bodies. */
export const bodies: readonly string[] = [
  ...words(`
    {} {"a":1} [1,2,3] null "x" { {"a": {"__proto__":{"admin":1}} {"constructor":{"prototype":{"x":1}}}
    nul 1e999 {"a":1}{"b":2} NaN
  `),
  "",
  " ",
  "[".repeat(5_000),
  `${"[".repeat(100)}${"]".repeat(100)}`,
  "\ufeff{}",
  "\u0000",
  "\u00ff\u00fe",
  '{"a":"\ud800"}',
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n',
  '--x\r\nContent-Disposition: form-data; name="f"; filename="../a"\r\n\r\n--x\r\n--x--',
  "--x\r\n\r\n\r\n--x--",
  `--x\r\n${"X: y\r\n".repeat(1_000)}`,
  '--x\r\nContent-Disposition: form-data; name="a',
  `{"x":"${"y".repeat(20_000)}"}`,
];

/** Payloads of frames: CANCEL, windows of 0 and of the maximum, limits of 0, a table of 4 GiB, indices that no table has. */
export const payloads: readonly Buffer[] = words(`
  00000008 00000000 7fffffff 80000001 000400000000 000300000000 000100ffffffff 0005ffffffff 00 ff bfffffffff7f
  3fffffffff7f 8282828282 ${"ff".repeat(5_000)}
`).map((hex) => Buffer.from(hex, "hex"));

/**
 * Rules of HTTP that several rooms use.
 *
 * Spec: RFC 9110
 */

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Is that a token (RFC 9110 §5.6.2): a method, the name of a header? */
export const isToken = (text: string): boolean => token.test(text);

/** Is that a field of the message framing, which only the engine sets (RFC 9112 §6.1, RFC 9110 §6.6.2)? */
export const isFraming = (name: string): boolean => /^(?:transfer-encoding|trailer)$/i.test(name);

/** The status of a request whose client left before the response's head was sent. It is nginx's, not part of HTTP. */
export const CLIENT_CLOSED_REQUEST = 499;

/** Is the word in that list of tokens, in any case (RFC 9110 §5.6.1)? */
export const listHas = (list: string | undefined, word: string): boolean =>
  list !== undefined && list.split(",").some((one) => one.trim().toLowerCase() === word);

/** The part of a request that asks for a WebSocket. */
interface Opening {
  readonly method?: string | undefined;
  readonly httpVersion: string;
  header(name: string): string | undefined;
}

/** Is that the opening handshake of a WebSocket (RFC 6455 §4.1), by its HTTP fields? HTTP/1.0 has no upgrade. */
export const asksForWebSocket = (request: Opening): boolean =>
  request.method === "GET" &&
  request.httpVersion === "1.1" &&
  listHas(request.header("upgrade"), "websocket") &&
  listHas(request.header("connection"), "upgrade");

/** The status of a response after which the connection speaks another protocol (RFC 9110 §15.2.2). */
export const SWITCHING_PROTOCOLS = 101;

/** Does a response of that status have no content (RFC 9110 §15.3.5, §15.3.6, §15.4.5)? */
export const isWithoutContent = (status: number): boolean => status === 204 || status === 205 || status === 304;

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  418: "I'm a Teapot",
  421: "Misdirected Request",
  422: "Unprocessable Content",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  506: "Variant Also Negotiates",
  507: "Insufficient Storage",
  508: "Loop Detected",
  509: "Bandwidth Limit Exceeded",
  510: "Not Extended",
  511: "Network Authentication Required",
};

/** The reason phrase of an error status (RFC 9110 §15), or `Error` for an unknown one. */
export const reasonPhrase = (status: number): string => reasons[status] ?? "Error";

/** Bytes over a bare socket, or over one of TLS: what no HTTP client would send. */
import { connect, type Socket } from "node:net";
import { setTimeout as later } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { Answer } from "./answer.ts";
import { answerFraming, MessageReader, requestFraming, requestLine, statusOf, type Head } from "./message-reader.ts";
import { sent, type Exchange, type Sent } from "./exchange.ts";
import { address, tlsOptions } from "./transport.ts";

/** What came back over one connection. */
export interface RawAnswers {
  readonly answers: readonly Answer[];
  /** Why reading stopped: enough answers, the server closed, or the time was up. */
  readonly ended: "answers" | "closed" | "timeout";
  readonly exchanges: readonly Exchange[];
}

/** What to send and when to stop. */
export interface RawOptions {
  /** Stop after so many final answers; by default when the server closes. */
  readonly answers?: number;
  readonly timeoutMs: number;
  /** Close our side after sending. */
  readonly half?: boolean;
  /** Send each byte by itself, a millisecond after the one before. */
  readonly apart?: boolean;
  /** Takes a certificate that nobody vouches for. */
  readonly insecure?: boolean;
}

/** Sends `bytes` as they are and reads answers until `options` says stop. Never rejects. */
export function rawExchange(base: URL, bytes: string | Buffer, options: RawOptions): Promise<RawAnswers> {
  const requests = readRequests(Buffer.from(bytes));
  const answers: Answer[] = [];
  const exchanges: Exchange[] = [];
  return new Promise((resolve) => {
    const socket = opened(base, options.insecure ?? false);
    const stop = (ended: RawAnswers["ended"]): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers, ended, exchanges });
    };
    const timer = setTimeout(() => stop("timeout"), options.timeoutMs);
    const take = (answer: Answer): void => {
      const request = requests[answers.length] ?? sent("", "");
      answers.push(answer);
      exchanges.push({ sent: request, status: answer.status, headers: answer.headers, body: answer.text });
      if (answers.length === options.answers) stop("answers");
    };
    const reader = answerReader(() => requests[answers.length]?.method ?? "", take);
    socket.on("error", () => stop("closed"));
    socket.on("close", () => {
      reader.finish();
      stop("closed");
    });
    socket.on("data", (data) => reader.push(data));
    const writing = options.apart === true ? writeApart(socket, Buffer.from(bytes)) : socket.write(bytes);
    if (options.half === true) Promise.resolve(writing).then(() => socket.end(), stop);
  });
}

/** Each byte in a packet of its own, and time enough for the other side to read it. */
async function writeApart(socket: Socket, bytes: Buffer): Promise<void> {
  socket.setNoDelay();
  for (const byte of bytes) {
    await later(1);
    if (socket.writable) socket.write(Uint8Array.of(byte));
  }
}

function opened(base: URL, insecure: boolean): Socket {
  if (base.protocol !== "https:") return connect(address(base));
  return connectTls({ ...address(base), ...tlsOptions(base, insecure), ALPNProtocols: ["http/1.1"] });
}

/** Gathers whole answers; interim ones (1xx) are passed over. */
function answerReader(method: () => string, take: (answer: Answer) => void): MessageReader {
  let head: Head | undefined;
  let body: Buffer[] = [];
  return new MessageReader({
    head(found) {
      head = found;
      body = [];
      return answerFraming(found, method());
    },
    body: (data) => body.push(data),
    end() {
      const status = statusOf(head?.start ?? "");
      if (head && status >= 200) take(new Answer(status, head.headers, Buffer.concat(body)));
    },
  });
}

/** The requests that the bytes hold, as far as they can be read. */
export function readRequests(bytes: Buffer): readonly Sent[] {
  const found: Sent[] = [];
  let body: Buffer[] = [];
  const reader = new MessageReader({
    head(head) {
      const { method, target } = requestLine(head.start);
      found.push(sent(method, target, head.headers));
      body = [];
      return requestFraming(head);
    },
    body: (data) => body.push(data),
    end() {
      const last = found.pop();
      if (last) found.push({ ...last, body: Buffer.concat(body).toString("utf8") });
    },
  });
  reader.push(bytes);
  return found;
}

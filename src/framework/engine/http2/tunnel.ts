/**
 * Tunnel: the stream of an extended CONNECT, as a socket for an HTTP/1.1 upgrade library.
 *
 *   library ── HTTP/1.1 101 … ──▶ HEADERS with :status 200, or with its rejecting status
 *           ── bytes ──▶ DATA           end ──▶ END_STREAM            destroy ──▶ RST_STREAM with CANCEL
 *   client  ── DATA ──▶ bytes           END_STREAM ──▶ end            RST_STREAM, the connection's end ──▶ close
 *
 * A slow side holds the other side back, and no other stream of the session.
 *
 * Spec: spec/websocket.md, RFC 8441 §4, §5
 */
import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { Duplex, DuplexOptions } from "node:stream";
import { nodeModule } from "../listening.ts";
import { responseHead } from "./http2-head.ts";

interface StreamModule {
  readonly Duplex: new (options: DuplexOptions) => Duplex;
}

/** RFC 9113 §7. */
const cancelled = 8;

/** The socket over that stream. The first bytes written are the head of an HTTP/1.1 response. */
export function tunnelOver(stream: ServerHttp2Stream): Duplex {
  const { Duplex } = nodeModule<StreamModule>("node:stream", "node-http2");
  const write = writerTo(stream);
  const tunnel = new Duplex({
    read: () => void stream.resume(),
    write: (chunk: Buffer, _encoding, written) => write([chunk], written),
    writev: (chunks, written) =>
      write(
        chunks.map(({ chunk }) => chunk),
        written,
      ),
    final: (ended) => void stream.end(ended),
    destroy(error, closed) {
      if (!isOver() && !stream.closed) stream.close(cancelled);
      stream.resume(); // A stream with unread bytes would stay open.
      closed(error);
    },
  });
  const isOver = (): boolean => tunnel.writableFinished && stream.readableEnded;
  stream
    .on("data", (chunk: Buffer) => {
      if (!tunnel.destroyed && !tunnel.push(chunk)) stream.pause();
    })
    .on("end", () => {
      if (!tunnel.destroyed) tunnel.push(null);
    })
    .on("close", () => {
      if (!isOver()) tunnel.destroy();
    });
  if (stream.closed || stream.destroyed) tunnel.destroy();
  return tunnel;
}

type Written = (error?: Error | null) => void;

/** Writes to the stream: the HTTP/2 form of the head when it is whole, and the rest unchanged. */
function writerTo(stream: ServerHttp2Stream): (chunks: readonly Buffer[], written: Written) => void {
  let head: Buffer | undefined = Buffer.alloc(0);
  return (chunks, written) => {
    let rest = chunks;
    if (head !== undefined) {
      head = Buffer.concat([head, ...chunks]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return written();
      if (stream.closed || stream.destroyed) return written(new Error("the client has left"));
      stream.respond(headOf(head.toString("latin1", 0, end)));
      rest = head.length > end + 4 ? [head.subarray(end + 4)] : [];
      head = undefined;
    }
    const last = rest.at(-1);
    if (last === undefined) return written();
    stream.cork();
    for (const chunk of rest.slice(0, -1)) stream.write(chunk);
    stream.write(last, written);
    stream.uncork();
  };
}

/**
 * Converts a head of HTTP/1.1 to HTTP/2. Its 101 becomes a 200, which needs no proof that the handshake was understood
 * (RFC 8441 §5).
 */
function headOf(text: string): OutgoingHttpHeaders {
  const [start = "", ...lines] = text.split("\r\n");
  const status = Number(start.split(" ")[1]);
  const fields = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    return name.toLowerCase() === "sec-websocket-accept" ? [] : [name, line.slice(colon + 1).trim()];
  });
  return responseHead(status === 101 ? 200 : status, fields);
}

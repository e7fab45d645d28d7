/**
 * The service of the front end: notes, what changes about them, and a chat.
 *
 *   QUERY, POST /notes · GET /changes (events, resumed by Last-Event-ID) · GET /chat (WebSocket) · GET /, /page.js
 */
import { Framework, HttpError, type SseEvent } from "framework";
import { MemoryBroadcast, messagesOf } from "framework/broadcast";
import { type ServerWebSocket, webSocket } from "framework/websocket";
import { z } from "zod";

/** A note on the board. */
export interface Note {
  readonly id: number;
  readonly text: string;
}

/** What outlives a restart: in a real service, a database. */
export class Board {
  readonly notes: Note[] = [];
  readonly changed: MemoryBroadcast = new MemoryBroadcast();
  /** How often a service has opened it. */
  runs = 0;

  /** Adds a note, and wakes the streams. */
  async add(text: string): Promise<Note> {
    const note = { id: this.notes.length + 1, text };
    this.notes.push(note);
    await this.changed.publish("notes", "");
    return note;
  }
}

/** The page and its program. */
export interface Page {
  readonly html: string;
  readonly script: string;
}

const withText = z.object({ text: z.string() });

/** The service of a board, ready to start. */
export function createApp(board: Board, page: Page): Framework {
  const run = (board.runs += 1);
  const sockets = new Set<ServerWebSocket>();
  const app = Framework.create({ host: "127.0.0.1", shutdownGraceMs: 0 });
  app.get("/", (ctx) => ctx.html(page.html));
  app.get("/page.js", (ctx) =>
    ctx.send(new TextEncoder().encode(page.script)).setHeader("Content-Type", "text/javascript"),
  );
  app.query("/notes", { body: withText }, ({ input }) =>
    board.notes.filter(({ text }) => text.includes(input.body.text)).toReversed(),
  );
  app.post("/notes", { body: withText }, async (ctx) => {
    const { text } = ctx.input.body;
    if (text.trim() === "") throw new HttpError(422, "a note has a text");
    return ctx.status(201).json(await board.add(text));
  });
  app.get("/changes", (ctx) => ctx.sse(changes(board, Number(ctx.header("Last-Event-ID") ?? 0), ctx.signal)));
  app.ws(
    "/chat",
    webSocket({
      open: (socket) => void sockets.add(socket),
      message: (_socket, message) => {
        const { text } = withText.parse(JSON.parse(String(message)));
        for (const socket of sockets) socket.send(JSON.stringify({ text, run }));
      },
      close: (socket) => void sockets.delete(socket),
    }),
  );
  return app;
}

/** The changes after one, and then each as it happens. */
async function* changes(board: Board, after: number, signal: AbortSignal): AsyncGenerator<SseEvent> {
  const woken = messagesOf(board.changed, "notes", { signal, limit: 1 });
  let last = after;
  const rest = function* (): Generator<SseEvent> {
    for (; last < board.notes.length; last += 1)
      yield { event: "added", id: String(last + 1), data: JSON.stringify(board.notes[last]), retry: 50 };
  };
  const next = woken[Symbol.asyncIterator]();
  // Subscribed before the first look, so that no change falls between.
  let waiting = next.next();
  yield* rest();
  for (let read = await waiting; read.done !== true; read = await waiting) {
    waiting = next.next();
    yield* rest();
  }
}

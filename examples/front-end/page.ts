/**
 * The page: a list that a QUERY reads, a form that adds to it, the changes as they happen, and a chat.
 *
 *   generated client ──▶ generated options ──▶ TanStack Query ──▶ the elements of page.html
 */
import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/query-core";
import { createClient, FailedResponseError } from "./api/client.ts";
import { createQueries } from "./api/queries.ts";

const client = createClient({ baseUrl: "" });
const queries = createQueries(client);
const cache = new QueryClient();
cache.mount();

const element = (id: string): HTMLElement => document.getElementById(id) ?? document.body;
const textOf = (form: HTMLElement): string => String(new FormData(form as HTMLFormElement).get("text") ?? "");

function show(id: string, texts: readonly string[]): void {
  element(id).replaceChildren(
    ...texts.map((text) => Object.assign(document.createElement("li"), { textContent: text })),
  );
}

function on(id: string, event: "input" | "submit", act: (text: string) => void): void {
  const form = element(id);
  form.addEventListener(event, (given) => {
    given.preventDefault();
    act(textOf(form));
  });
  if (event !== "submit") form.addEventListener("submit", (given) => given.preventDefault());
}

const notes = new QueryObserver(cache, queries.findNotes({ body: { text: "" } }));
notes.subscribe(({ data }) => show("notes", data?.map(({ text }) => text) ?? []));
on("find", "input", (text) => notes.setOptions(queries.findNotes({ body: { text } })));

const adding = new MutationObserver(cache, queries.addNote());
on("add", "submit", (text) => {
  adding.mutate({ body: { text } }).then(
    () => (element("problem").textContent = ""),
    (error: unknown) => {
      if (!(error instanceof FailedResponseError)) throw error;
      element("problem").textContent = `The service responded with ${error.result.status}`;
    },
  );
});

/** Counts each change, and reads the list again. */
async function follow(): Promise<void> {
  const seen = new Set<number>();
  let doubled = 0;
  for await (const { data } of client.changes()) {
    if (seen.has(data.id)) doubled += 1;
    seen.add(data.id);
    element("count").textContent = String(seen.size);
    element("doubled").textContent = String(doubled);
    void cache.invalidateQueries({ queryKey: ["findNotes"] });
  }
}

async function talk(): Promise<void> {
  const socket = client.chat();
  const messages: string[] = [];
  on("say", "submit", (text) => socket.send({ text }));
  for await (const { text, run } of socket) {
    messages.push(`${text} (run ${run})`);
    show("chat", messages);
  }
}

await Promise.all([follow(), talk()]);

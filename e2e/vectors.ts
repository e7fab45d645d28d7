/**
 * Nine ways in which a page can send a request to a server, run inside that page.
 *
 *   fetch · EventSource · script · image · iframe · form · link · WebSocket · QUERY ──▶ what each of them could read
 */

/** The target server, and a text that proves that the response was read. */
export interface Target {
  /** The dashboard's address, without a trailing slash. */
  readonly base: string;
  readonly secret: string;
}

/** The text that each way could read, by name, empty if it read nothing. Runs in the browser, so it must not use this file. */
export async function tryAll({ base, secret }: Target): Promise<Record<string, string>> {
  const requests = `${base}/api/requests`;
  const patience = 10_000;
  const until = (wire: (done: (read: string) => void) => void): Promise<string> =>
    new Promise((done) => {
      wire(done);
      setTimeout(() => done(""), patience);
    });
  const ask = async (init: RequestInit): Promise<string> => {
    try {
      const response = await fetch(requests, init);
      const text = await response.text();
      return response.ok || text.includes(secret) ? `${response.status} ${text.slice(0, 60)}` : "";
    } catch {
      return "";
    }
  };
  const element = <K extends keyof HTMLElementTagNameMap>(
    name: K,
    set: Record<string, string>,
    read: (made: HTMLElementTagNameMap[K]) => string,
  ): Promise<string> =>
    until((done) => {
      const made = Object.assign(document.createElement(name), set);
      made.addEventListener("load", () => done(read(made)));
      made.addEventListener("error", () => done(""));
      document.body.append(made);
    });
  const inFrame = (frame: HTMLIFrameElement): string => {
    try {
      const text = frame.contentDocument?.documentElement.textContent ?? "";
      return text.includes(secret) || text.includes("devtools") ? text.slice(0, 60) : "";
    } catch {
      return "";
    }
  };
  const viaForm = async (): Promise<string> => {
    await element("iframe", { name: "form-response" }, () => "");
    const frame = document.querySelector<HTMLIFrameElement>("iframe[name=form-response]");
    const form = Object.assign(document.createElement("form"), {
      action: requests,
      method: "post",
      target: "form-response",
    });
    document.body.append(form);
    return until((done) => {
      frame?.addEventListener("load", () => done(inFrame(frame)));
      form.submit();
    });
  };
  const rules = (link: HTMLLinkElement): string => {
    try {
      return [...(link.sheet?.cssRules ?? [])].map(({ cssText }) => cssText).join("");
    } catch {
      return "";
    }
  };
  const [cors, opaque] = await Promise.all([ask({}), ask({ mode: "no-cors", credentials: "include" })]);
  return {
    fetch: cors + opaque,
    EventSource: await until((done) => {
      const stream = new EventSource(`${base}/api/stream`);
      stream.addEventListener("open", () => done("opened"));
      stream.addEventListener("trace", ({ data }) => done(String(data).slice(0, 60)));
      stream.addEventListener("error", () => (stream.close(), done("")));
    }),
    script: await element("script", { src: requests }, () => "run"),
    image: await element("img", { src: base }, (img) => `${img.naturalWidth}`),
    iframe: await element("iframe", { src: base }, inFrame),
    form: await viaForm(),
    link:
      (await element("link", { rel: "stylesheet", href: base }, rules)) +
      (await element("link", { rel: "prefetch", href: requests }, () => {
        const [entry] = performance.getEntriesByName(requests) as PerformanceResourceTiming[];
        return entry !== undefined && entry.responseStatus === 200 ? `${entry.decodedBodySize} bytes` : "";
      })),
    WebSocket: await until((done) => {
      const socket = new WebSocket(`${base.replace(/^http/, "ws")}/api/stream`);
      socket.addEventListener("open", () => done("opened"));
      socket.addEventListener("error", () => done(""));
    }),
    QUERY: await ask({ method: "QUERY", headers: { "Content-Type": "application/json" }, body: "{}" }),
  };
}

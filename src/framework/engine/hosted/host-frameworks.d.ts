/** Types for host frameworks without any, as far as the tests and the guides use them. */
declare module "host-framework-types" {
  import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";

  type Next = (error?: unknown) => void;
  type Handler = (req: IncomingMessage, res: ServerResponse, next: Next) => unknown;
  interface Host extends RequestListener {
    use(handler: Handler): this;
    use(path: string, handler: Handler): this;
    listen(port: number): Server;
  }
}

declare module "express" {
  import type { IncomingMessage, ServerResponse } from "node:http";
  import type { Handler, Host } from "host-framework-types";

  interface Parsing {
    readonly type?: string;
    readonly verify?: (req: IncomingMessage, res: ServerResponse, bytes: Uint8Array) => void;
  }
  interface Express {
    (): Host;
    json(options?: Parsing): Handler;
    text(options?: Parsing): Handler;
    raw(options?: Parsing): Handler;
    urlencoded(options: { readonly extended: boolean }): Handler;
  }
  const express: Express;
  export default express;
}

declare module "connect" {
  import type { Host } from "host-framework-types";

  export default function connect(): Host;
}

declare module "compression" {
  import type { Handler } from "host-framework-types";

  export default function compression(options?: { readonly threshold?: number }): Handler;
}

declare module "express-session" {
  import type { Handler } from "host-framework-types";

  type Done = (error?: unknown) => void;
  class Store {
    get(id: string, done: Done): void;
    set(id: string, session: object, done: Done): void;
    destroy(id: string, done: Done): void;
  }
  interface Options {
    readonly secret: string;
    readonly resave: boolean;
    readonly saveUninitialized: boolean;
    readonly store?: Store;
  }
  const session: ((options: Options) => Handler) & { readonly Store: typeof Store };
  export default session;
}

/** Types for Connect middleware without any, as far as the tests use it. */
declare module "cors" {
  import type { Handler } from "host-framework-types";

  export default function cors(options?: { readonly origin?: string; readonly credentials?: boolean }): Handler;
}

declare module "cookie-parser" {
  import type { Handler } from "host-framework-types";

  export default function cookieParser(secret?: string): Handler;
}

declare module "morgan" {
  import type { Handler } from "host-framework-types";

  export default function morgan(format: string, options: { readonly stream: { write(line: string): void } }): Handler;
}

declare module "multer" {
  import type { Handler } from "host-framework-types";

  interface Multer {
    single(name: string): Handler;
  }
  interface Options {
    readonly storage?: object;
    readonly dest?: string;
    readonly limits?: { readonly fileSize?: number };
  }
  const multer: ((options?: Options) => Multer) & {
    memoryStorage(): object;
    readonly MulterError: new (code: string) => Error & { readonly code: string };
  };
  export default multer;
}

declare module "passport" {
  import type { Handler } from "host-framework-types";

  export class Passport {
    use(strategy: object): this;
    initialize(): Handler;
    session(): Handler;
    serializeUser(serialize: (user: unknown, done: (error: unknown, id?: unknown) => void) => void): void;
    deserializeUser(deserialize: (id: unknown, done: (error: unknown, user?: unknown) => void) => void): void;
    authenticate(strategy: string, options?: { readonly session?: boolean }): Handler;
  }
  const passport: { readonly Passport: typeof Passport };
  export default passport;
}

declare module "passport-local" {
  type Done = (error: unknown, user?: unknown) => void;
  const local: { readonly Strategy: new (verify: (name: string, password: string, done: Done) => void) => object };
  export default local;
}

/**
 * The used part of the optional peer `@fastify/busboy`, loaded when the first body comes.
 *
 * Spec: spec/multipart.md
 */
import { loadPeer } from "../internal/peers.ts";

/** A file being received. It flows after its first listener for "data". */
export interface BusboyFile {
  readonly truncated?: boolean | undefined;
  on(event: "data", listener: (chunk: Uint8Array) => void): this;
  on(event: "end" | "limit", listener: () => void): this;
  on(event: "error", listener: (error: Error) => void): this;
}

type FileListener = (
  name: string | undefined,
  file: BusboyFile,
  filename: string | undefined,
  encoding: string,
  mediaType: string,
) => void;
type FieldListener = (
  name: string | undefined,
  value: string,
  isNameCut: boolean,
  isValueCut: boolean,
  encoding: string,
  mediaType: string,
) => void;

/** The parser: bytes in, parts out. */
export interface BusboyParser {
  on(event: "file", listener: FileListener): this;
  on(event: "field", listener: FieldListener): this;
  on(event: "partsLimit" | "filesLimit" | "finish", listener: () => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  write(chunk: Uint8Array, written: () => void): boolean;
  end(): void;
  destroy(): void;
}

/** The options of a parser. */
export interface BusboyOptions {
  readonly headers: { readonly "content-type": string };
  readonly preservePath: boolean;
  readonly limits: Readonly<Record<string, number>>;
}

type BusboyClass = new (options: BusboyOptions) => BusboyParser;

let loading: Promise<BusboyClass> | undefined;

/** @throws (rejects) Error naming the package to install. The next call tries again. */
export function loadBusboy(): Promise<BusboyClass> {
  return (loading ??= loadPeer("framework/multipart", "@fastify/busboy", () => import("@fastify/busboy")).then(
    ({ Busboy }) => Busboy as unknown as BusboyClass,
    (error: unknown) => {
      loading = undefined;
      throw error;
    },
  ));
}

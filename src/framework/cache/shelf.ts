/**
 * Shelf: responses in a store, with their variants, tags and purges.
 *
 *   g:<place>    the generation of a target: another one, and nothing that was stored for it is found any more
 *   i:<primary>  the names of Vary, the tags, the number of variants
 *   v:<own>:<variant>   a response of that index, with the version of each of its tags
 *   t:<tag>      the version of a tag: without it, or with another one, the responses with that tag are not found
 *   epoch        changes with each purge of tags
 *
 * A lookup gives a ticket. A response is stored only if neither the generation nor the epoch has changed since, so one that was
 * made before a purge is never stored after it. Whatever a store forgets makes a miss.
 *
 * Spec: spec/cache.md
 */
import type { CacheStore } from "./store.ts";

/** A stored response. */
export interface Stored {
  readonly status: number;
  /** Flat list of names and values. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | undefined;
  /** When the request began and when the response came, by `Date.now()`. */
  readonly requestedAt: number;
  readonly receivedAt: number;
  readonly initialAgeMs: number;
}

/** What a lookup has found. */
export interface Found {
  readonly stored: Stored | undefined;
  /** Why there is none. */
  readonly why: "uri-miss" | "vary-miss" | undefined;
  readonly ticket: Ticket;
}

/** The state of the store at a lookup. */
export interface Ticket {
  readonly place: string;
  readonly primary: string;
  readonly generation: string | undefined;
  readonly epoch: string | undefined;
  readonly index: Index | undefined;
}

interface Index {
  /** That of the place when it was written. */
  readonly generation: string;
  /** Part of the keys of its variants. */
  readonly own: string;
  readonly vary: readonly string[];
  readonly tags: readonly string[];
  readonly variants: number;
}

/** A response to be stored. */
export interface Shelving {
  readonly stored: Stored;
  readonly vary: readonly string[];
  readonly tags: readonly string[];
  readonly ttlMs: number;
}

/** The tag of every response. */
const everything = "*";
/** More variants of one request than these, and all are forgotten. */
const maxVariants = 64;
const maxTags = 256;
/** How long a purge is remembered for responses that are being made. */
const purgeMs = 600_000;
/**
 * What several responses share is kept at least this long, since a response with a short life must not end that of another one. In
 * milliseconds: a day.
 */
const lastingMs = 86_400_000;
const fresh = (): string => crypto.randomUUID();

/** Responses in a store. */
export class Shelf {
  readonly #store: CacheStore;

  constructor(store: CacheStore) {
    this.#store = store;
  }

  /** @param variant the key of the variant for these names of Vary */
  async find(place: string, primary: string, variant: (vary: readonly string[]) => Promise<string>): Promise<Found> {
    const [epoch, generation, kept] = await this.#store.read(["epoch", `g:${place}`, `i:${primary}`]);
    const known = kept === undefined ? undefined : (JSON.parse(kept.text) as Index);
    const index = known?.generation === generation?.text ? known : undefined;
    const ticket = { place, primary, generation: generation?.text, epoch: epoch?.text, index };
    if (index === undefined) return { stored: undefined, why: "uri-miss", ticket };
    const tags = index.tags.map((tag) => `t:${tag}`);
    const [value, ...versions] = await this.#store.read([variantKey(index, await variant(index.vary)), ...tags]);
    if (value === undefined) return { stored: undefined, why: "vary-miss", ticket };
    const { tags: wanted, ...head } = JSON.parse(value.text) as Omit<Stored, "body"> & { tags: Record<string, string> };
    const isCurrent = Object.entries(wanted).every(
      ([tag, version]) => versions[index.tags.indexOf(tag)]?.text === version,
    );
    if (!isCurrent) return { stored: undefined, why: "uri-miss", ticket };
    return { stored: { ...head, body: value.body }, why: undefined, ticket };
  }

  /** False when it was purged in the meantime, or does not fit. */
  async put(
    ticket: Ticket,
    variant: (vary: readonly string[]) => Promise<string>,
    { stored: { body, ...head }, vary, tags, ttlMs }: Shelving,
  ): Promise<boolean> {
    const { place, primary, epoch } = ticket;
    const versions = await this.#versionsOf([everything, ...tags], ttlMs);
    const generation = ticket.generation ?? fresh();
    const lasting = {
      ttlMs: Math.max(ttlMs, lastingMs),
      guards: [
        ["epoch", epoch],
        [`g:${place}`, ticket.generation],
      ] as const,
    };
    if (!(await this.#store.write(`g:${place}`, { text: generation }, lasting))) return false;
    const index = nextIndex(ticket.index, { generation, vary, tags: Object.keys(versions) });
    const guards = [
      ["epoch", epoch],
      [`g:${place}`, generation],
    ] as const;
    const text = JSON.stringify({ ...head, tags: versions });
    const key = variantKey(index, await variant(vary));
    if (!(await this.#store.write(key, { text, body }, { ttlMs, guards }))) return false;
    return this.#store.write(`i:${primary}`, { text: JSON.stringify(index) }, { ttlMs: lasting.ttlMs, guards });
  }

  /** Forgets a target: all of its methods, bodies and variants. */
  async invalidate(place: string): Promise<void> {
    await this.#store.write(`g:${place}`, { text: fresh() }, { ttlMs: purgeMs });
  }

  /** Forgets the responses with one of these tags, or all. */
  async purge(tags: readonly string[] | "all"): Promise<void> {
    await this.#store.write("epoch", { text: fresh() }, { ttlMs: purgeMs });
    await this.#store.remove((tags === "all" ? [everything] : tags).map((tag) => `t:${tag}`));
  }

  /** The version of each tag. A tag without one gets it. */
  async #versionsOf(tags: readonly string[], ttlMs: number): Promise<Record<string, string>> {
    const keys = tags.map((tag) => `t:${tag}`);
    const known = await this.#store.read(keys);
    const versions = await Promise.all(
      keys.map(async (key, at) => {
        const text = known[at]?.text ?? fresh();
        const options = { ttlMs: Math.max(ttlMs, lastingMs), guards: [[key, known[at]?.text] as const] };
        if (await this.#store.write(key, { text }, options)) return text;
        return (await this.#store.read([key]))[0]?.text ?? text;
      }),
    );
    return Object.fromEntries(tags.map((tag, at) => [tag, versions[at] ?? ""]));
  }
}

/** With another Vary, or too many variants, the earlier variants are forgotten. */
function nextIndex(known: Index | undefined, { generation, vary, tags }: Omit<Index, "own" | "variants">): Index {
  const isSame = known !== undefined && known.variants < maxVariants && String(known.vary) === String(vary);
  const all = [...new Set([...tags, ...(isSame ? known.tags : [])])].slice(0, maxTags);
  return { generation, own: isSame ? known.own : fresh(), vary, tags: all, variants: isSame ? known.variants + 1 : 1 };
}

const variantKey = ({ own }: Index, variant: string): string => `v:${own}:${variant}`;

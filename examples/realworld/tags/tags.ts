/**
 * Tags: the topics of articles, the most used first. Three layers of one line each, so one file.
 */
import { contract, Interface } from "framework";
import { z } from "zod";
import type { Database } from "../database/database.ts";

/** Tags in the database. */
export interface TagRepository {
  mostUsed(limit: number): Promise<readonly string[]>;
}
/** The token of the bean. */
export const TagRepository: Interface<TagRepository> = Interface("TagRepository");

/** The shown tags. */
export interface TagService {
  popular(): Promise<readonly string[]>;
}
/** The token of the bean. */
export const TagService: Interface<TagService> = Interface("TagService");

/** Tags over HTTP: `/api/tags`. */
export interface TagController {
  list(): Promise<{ readonly tags: readonly string[] }>;
}
/** The token of the bean. */
export const TagController: Interface<TagController> = Interface("TagController");

/** The contract of "Tags". */
export const getTags = contract({
  operationId: "GetTags",
  summary: "Get tags",
  responses: { 200: z.object({ tags: z.array(z.string()) }) },
});

/** In PostgreSQL. */
export const sqlTagRepository = (database: Database): TagRepository => ({
  async mostUsed(limit) {
    const rows = await database.query<{ tag: string }>(
      "select tag from articles, unnest(tag_list) as tag group by tag order by count(*) desc, tag limit $1",
      [limit],
    );
    return rows.map(({ tag }) => tag);
  },
});

/** The hundred most used. */
export const conduitTags = (tags: TagRepository): TagService => ({ popular: () => tags.mostUsed(100) });

/** Needs no account. */
export const httpTags = (tags: TagService): TagController => ({ list: async () => ({ tags: await tags.popular() }) });

/**
 * Comments on articles. Only the author of a comment may remove it.
 */
import { Interface } from "framework";
import type { ArticleRepository } from "../articles/article-repository.ts";
import type { Clock } from "../auth/clock.ts";
import { ForbiddenError, UnknownError } from "../errors.ts";
import type { Viewer } from "../profiles/profile.ts";
import type { Comment } from "./comment.ts";
import type { CommentRepository } from "./comment-repository.ts";

/** Comments. An unknown slug or comment is UnknownError (404). */
export interface CommentService {
  list(slug: string, viewer: Viewer): Promise<readonly Comment[]>;
  add(slug: string, body: string, author: number): Promise<Comment>;
  /** @throws ForbiddenError (403) for another user's comment. */
  remove(slug: string, id: number, author: number): Promise<void>;
}
/** The token of the bean. */
export const CommentService: Interface<CommentService> = Interface("CommentService");

/** Comments of this Conduit. */
export class ConduitComments implements CommentService {
  readonly #comments: CommentRepository;
  readonly #articles: ArticleRepository;
  readonly #clock: Clock;

  constructor(comments: CommentRepository, articles: ArticleRepository, clock: Clock) {
    this.#comments = comments;
    this.#articles = articles;
    this.#clock = clock;
  }

  async list(slug: string, viewer: Viewer): Promise<readonly Comment[]> {
    return this.#comments.list(await this.#articleId(slug), viewer);
  }

  async add(slug: string, body: string, author: number): Promise<Comment> {
    const articleId = await this.#articleId(slug);
    const id = await this.#comments.add(articleId, author, body, this.#clock.now());
    const comment = await this.#comments.find(articleId, id, author);
    if (comment === undefined) throw new UnknownError("comment");
    return comment;
  }

  async remove(slug: string, id: number, author: number): Promise<void> {
    const articleId = await this.#articleId(slug);
    // Beyond PostgreSQL's int no comment exists, and a query for one would fail.
    const writer = id > 2 ** 31 - 1 ? undefined : await this.#comments.authorId(articleId, id);
    if (writer === undefined) throw new UnknownError("comment");
    if (writer !== author) throw new ForbiddenError("comment");
    await this.#comments.remove(id);
  }

  async #articleId(slug: string): Promise<number> {
    const key = await this.#articles.key(slug);
    if (key === undefined) throw new UnknownError("article");
    return key.id;
  }
}

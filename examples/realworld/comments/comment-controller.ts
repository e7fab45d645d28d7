/**
 * Comments over HTTP: `/api/articles/{slug}/comments`.
 */
import { type ContextOf, Interface, type Responded } from "framework";
import { userOf, viewerOf } from "../auth/guard.ts";
import type { createArticleComment, deleteArticleComment, getArticleComments } from "./comment-contracts.ts";
import type { CommentService } from "./comment-service.ts";

/** The comments of an article. */
export interface CommentController {
  list(ctx: ContextOf<typeof getArticleComments, "slug">): Promise<Responded>;
  add(ctx: ContextOf<typeof createArticleComment, "slug">): Promise<Responded>;
  remove(ctx: ContextOf<typeof deleteArticleComment>): Promise<Responded>;
}
/** The token of the bean. */
export const CommentController: Interface<CommentController> = Interface("CommentController");

/** Comments as JSON. */
export class HttpComments implements CommentController {
  readonly #comments: CommentService;

  constructor(comments: CommentService) {
    this.#comments = comments;
  }

  async list(ctx: ContextOf<typeof getArticleComments, "slug">): Promise<Responded> {
    return ctx.reply(200, { comments: await this.#comments.list(ctx.pathParam("slug"), viewerOf(ctx)) });
  }

  async add(ctx: ContextOf<typeof createArticleComment, "slug">): Promise<Responded> {
    const { body } = ctx.input.body.comment;
    return ctx.reply(201, { comment: await this.#comments.add(ctx.pathParam("slug"), body, userOf(ctx).id) });
  }

  async remove(ctx: ContextOf<typeof deleteArticleComment>): Promise<Responded> {
    const { slug, id } = ctx.input.params;
    await this.#comments.remove(slug, id, userOf(ctx).id);
    return ctx.reply(204);
  }
}

/**
 * Comments over HTTP: `/api/articles/{slug}/comments`.
 */
import { type Context, Interface } from "framework";
import { authorizationOf, type SessionService } from "../auth/sessions.ts";
import { InvalidInputError, UnknownError } from "../errors.ts";
import { type Comment, newCommentInput } from "./comment.ts";
import type { CommentService } from "./comment-service.ts";

/** Reading takes no account, writing does. */
export interface CommentController {
  list(ctx: Context<"slug">): Promise<{ readonly comments: readonly Comment[] }>;
  add(ctx: Context<"slug">): Promise<{ readonly comment: Comment }>;
  remove(ctx: Context<"slug" | "id">): Promise<void>;
}
/** The token of the bean. */
export const CommentController: Interface<CommentController> = Interface("CommentController");

/** Comments as JSON. */
export class HttpComments implements CommentController {
  readonly #comments: CommentService;
  readonly #sessions: SessionService;

  constructor(comments: CommentService, sessions: SessionService) {
    this.#comments = comments;
    this.#sessions = sessions;
  }

  async list(ctx: Context<"slug">): Promise<{ readonly comments: readonly Comment[] }> {
    const viewer = await this.#sessions.optional(authorizationOf(ctx));
    return { comments: await this.#comments.list(ctx.pathParam("slug"), viewer?.id) };
  }

  /** 200, as the specification says, not 201. */
  async add(ctx: Context<"slug">): Promise<{ readonly comment: Comment }> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    const { comment } = await ctx.body(newCommentInput);
    return { comment: await this.#comments.add(ctx.pathParam("slug"), comment.body, id) };
  }

  async remove(ctx: Context<"slug" | "id">): Promise<void> {
    const { id } = await this.#sessions.required(authorizationOf(ctx));
    if (!/^\d+$/.test(ctx.pathParam("id"))) throw new InvalidInputError("id must be a whole number");
    const comment = Number(ctx.pathParam("id"));
    // Past PostgreSQL's int there is no comment, and asking for one would be an error.
    if (comment > 2 ** 31 - 1) throw new UnknownError("comment");
    await this.#comments.remove(ctx.pathParam("slug"), comment, id);
    ctx.status(204);
  }
}

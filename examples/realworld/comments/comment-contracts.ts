/**
 * The contracts of "Comments".
 */
import { contract } from "framework";
import { z } from "zod";
import { anyone, failing, signedIn, text, whole } from "../contracts.ts";
import { profile } from "../profiles/profile-contracts.ts";

const newComment = z.object({ body: text(10_000) }, "can't be blank").meta({ id: "NewComment" });
const comment = z
  .object({ id: z.int(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime(), body: z.string(), author: profile })
  .meta({ id: "Comment" });

const slug = "how-to-train-your-dragon";

export const getArticleComments = contract({
  ...anyone,
  operationId: "GetArticleComments",
  summary: "Get comments for an article",
  responses: { 200: z.object({ comments: z.array(comment) }), ...failing(401, 404, 422) },
  example: { path: { slug } },
});
export const createArticleComment = contract({
  ...signedIn,
  operationId: "CreateArticleComment",
  summary: "Create a comment for an article",
  body: z.object({ comment: newComment }),
  responses: { 201: z.object({ comment }), ...failing(400, 401, 404, 413, 415, 422) },
  example: { path: { slug }, body: { comment: { body: "His name was my name too." } } },
});
export const deleteArticleComment = contract({
  ...signedIn,
  operationId: "DeleteArticleComment",
  summary: "Delete a comment for an article",
  params: z.object({ slug: z.string(), id: whole(0, Number.MAX_SAFE_INTEGER) }),
  responses: { 204: null, ...failing(400, 401, 403, 404, 422) },
  example: { path: { slug, id: "1" } },
});

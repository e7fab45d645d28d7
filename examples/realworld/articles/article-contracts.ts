/**
 * The contracts of "Articles" and "Favorites".
 */
import { contract } from "framework";
import { z } from "zod";
import { anyone, failing, pageQuery, signedIn, text } from "../contracts.ts";
import { profile } from "../profiles/profile-contracts.ts";

const title = text(200);
const description = text(1_000);
const body = text(100_000);
/** In the author's order, without duplicates. */
const tagList = z
  .array(text(50), "is no list")
  .max(20, "has more than 20 tags")
  .transform((tags) => [...new Set(tags)]);

const newArticle = z
  .object({ title, description, body, tagList: tagList.default([]) }, "can't be blank")
  .meta({ id: "NewArticle" });
const changes = z
  .object({ title, description, body, tagList }, "can't be blank")
  .partial()
  .refine((given) => Object.keys(given).length > 0, "at least one field is required")
  .meta({ id: "UpdateArticle" });
const filter = { tag: z.string().optional(), author: z.string().optional(), favorited: z.string().optional() };

const summary = z.object({
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  tagList: z.array(z.string()),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  favorited: z.boolean(),
  favoritesCount: z.int(),
  author: profile,
});
const article = summary.extend({ body: z.string() }).meta({ id: "Article" });
const articleBody = z.object({ article });
const articleList = z
  .object({
    articles: z.array(summary.meta({ id: "ArticleSummary", description: "An article without its body" })),
    articlesCount: z.int(),
  })
  .meta({ id: "ArticleList", description: "A part of a list, and how many there are in all" });

const slug = "how-to-train-your-dragon";
const example = { title: "How to train your dragon", description: "Ever wonder how?", body: "You have to believe" };

export const getArticles = contract({
  ...anyone,
  operationId: "GetArticles",
  summary: "Get recent articles globally",
  query: z.object({ ...filter, ...pageQuery }),
  responses: { 200: articleList, ...failing(400, 401, 422) },
  example: { query: { tag: "dragons", limit: 10 } },
});
export const getArticlesFeed = contract({
  ...signedIn,
  operationId: "GetArticlesFeed",
  summary: "Get recent articles from users you follow",
  query: z.object(pageQuery),
  responses: { 200: articleList, ...failing(400, 401, 422) },
});
export const getArticle = contract({
  ...anyone,
  operationId: "GetArticle",
  summary: "Get an article",
  responses: { 200: articleBody, ...failing(401, 404, 422) },
  example: { path: { slug } },
});
export const createArticle = contract({
  ...signedIn,
  operationId: "CreateArticle",
  summary: "Create an article",
  body: z.object({ article: newArticle }),
  responses: { 201: articleBody, ...failing(400, 401, 409, 413, 415, 422) },
  example: { body: { article: { ...example, tagList: ["dragons"] } } },
});
export const updateArticle = contract({
  ...signedIn,
  operationId: "UpdateArticle",
  summary: "Update an article",
  body: z.object({ article: changes }),
  responses: { 200: articleBody, ...failing(400, 401, 403, 404, 409, 413, 415, 422) },
  example: { path: { slug }, body: { article: { body: "With two hands" } } },
});
export const deleteArticle = contract({
  ...signedIn,
  operationId: "DeleteArticle",
  summary: "Delete an article",
  responses: { 204: null, ...failing(401, 403, 404, 422) },
  example: { path: { slug } },
});
export const createArticleFavorite = contract({
  ...signedIn,
  operationId: "CreateArticleFavorite",
  summary: "Favorite an article",
  responses: { 200: articleBody, ...failing(401, 404, 422) },
  example: { path: { slug } },
});
export const deleteArticleFavorite = contract({
  ...signedIn,
  operationId: "DeleteArticleFavorite",
  summary: "Unfavorite an article",
  responses: { 200: articleBody, ...failing(401, 404, 422) },
  example: { path: { slug } },
});

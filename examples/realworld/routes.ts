/**
 * The bean and the contract of each request: the whole API of Conduit, by the tags of its specification.
 */
import type { Framework } from "framework";
import * as articles from "./articles/article-contracts.ts";
import { ArticleController } from "./articles/article-controller.ts";
import { FavoriteController } from "./articles/favorite-controller.ts";
import { guard } from "./auth/guard.ts";
import * as comments from "./comments/comment-contracts.ts";
import { CommentController } from "./comments/comment-controller.ts";
import { failing } from "./contracts.ts";
import * as profiles from "./profiles/profile-contracts.ts";
import { ProfileController } from "./profiles/profile-controller.ts";
import { getTags, TagController } from "./tags/tags.ts";
import * as users from "./users/user-contracts.ts";
import { UserController } from "./users/user-controller.ts";

/** Adds every route of the API. */
export function addRoutes(app: Framework): void {
  app.group("/api", { responses: failing(500) }, (api) => {
    api.use(guard);
    api.group("", { tags: ["User and Authentication"] }, (tag) => {
      tag.post("/users/login", users.login, [UserController, "login"]);
      tag.post("/users", users.createUser, [UserController, "register"]);
      tag.get("/user", users.getCurrentUser, [UserController, "current"]);
      tag.put("/user", users.updateCurrentUser, [UserController, "change"]);
    });
    api.group("/profiles/{username}", { tags: ["Profile"] }, (tag) => {
      tag.get("/", profiles.getProfileByUsername, [ProfileController, "show"]);
      tag.post("/follow", profiles.followUserByUsername, [ProfileController, "follow"]);
      tag.delete("/follow", profiles.unfollowUserByUsername, [ProfileController, "unfollow"]);
    });
    api.group("/articles", { tags: ["Articles"] }, (tag) => {
      tag.get("/", articles.getArticles, [ArticleController, "list"]);
      tag.post("/", articles.createArticle, [ArticleController, "publish"]);
      tag.get("/feed", articles.getArticlesFeed, [ArticleController, "feed"]);
      tag.get("/{slug}", articles.getArticle, [ArticleController, "show"]);
      tag.put("/{slug}", articles.updateArticle, [ArticleController, "change"]);
      tag.delete("/{slug}", articles.deleteArticle, [ArticleController, "remove"]);
    });
    api.group("/articles/{slug}/comments", { tags: ["Comments"] }, (tag) => {
      tag.get("/", comments.getArticleComments, [CommentController, "list"]);
      tag.post("/", comments.createArticleComment, [CommentController, "add"]);
      tag.delete("/{id}", comments.deleteArticleComment, [CommentController, "remove"]);
    });
    api.group("/articles/{slug}/favorite", { tags: ["Favorites"] }, (tag) => {
      tag.post("/", articles.createArticleFavorite, [FavoriteController, "add"]);
      tag.delete("/", articles.deleteArticleFavorite, [FavoriteController, "remove"]);
    });
    api.get("/tags", { ...getTags, tags: ["Tags"] }, [TagController, "list"]);
  });
}

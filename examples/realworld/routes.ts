/**
 * Which request goes to which bean: the whole API of Conduit, in the order of its specification.
 */
import type { Framework } from "framework";
import { ArticleController } from "./articles/article-controller.ts";
import { FavoriteController } from "./articles/favorite-controller.ts";
import { CommentController } from "./comments/comment-controller.ts";
import { ProfileController } from "./profiles/profile-controller.ts";
import { TagController } from "./tags/tags.ts";
import { UserController } from "./users/user-controller.ts";

/** Adds every route of the API. */
export function addRoutes(app: Framework): void {
  app.group("/api", (api) => {
    api.post("/users/login", [UserController, "login"]);
    api.post("/users", [UserController, "register"]);
    api.get("/user", [UserController, "current"]);
    api.put("/user", [UserController, "change"]);
    api.get("/profiles/{username}", [ProfileController, "show"]);
    api.post("/profiles/{username}/follow", [ProfileController, "follow"]);
    api.delete("/profiles/{username}/follow", [ProfileController, "unfollow"]);
    api.get("/tags", [TagController, "list"]);
    api.group("/articles", (articles) => {
      articles.get("/", [ArticleController, "list"]);
      articles.post("/", [ArticleController, "publish"]);
      articles.get("/feed", [ArticleController, "feed"]);
      articles.get("/{slug}", [ArticleController, "show"]);
      articles.put("/{slug}", [ArticleController, "change"]);
      articles.delete("/{slug}", [ArticleController, "remove"]);
      articles.get("/{slug}/comments", [CommentController, "list"]);
      articles.post("/{slug}/comments", [CommentController, "add"]);
      articles.delete("/{slug}/comments/{id}", [CommentController, "remove"]);
      articles.post("/{slug}/favorite", [FavoriteController, "add"]);
      articles.delete("/{slug}/favorite", [FavoriteController, "remove"]);
    });
  });
}

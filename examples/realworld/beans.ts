/**
 * Every bean of Conduit with its dependencies: the whole wiring, in one page.
 *
 *   guard ──▶ SessionService ──▶ TokenSigner, UserRepository
 *   controller ──▶ service ──▶ repository ──▶ Database
 */
import { type BeanDecorator, Beans } from "framework";
import { ArticleController, HttpArticles } from "./articles/article-controller.ts";
import { ArticleRepository, SqlArticleRepository } from "./articles/article-repository.ts";
import { ArticleService, ConduitArticles } from "./articles/article-service.ts";
import { FavoriteController, HttpFavorites } from "./articles/favorite-controller.ts";
import { FavoriteRepository, SqlFavoriteRepository } from "./articles/favorite-repository.ts";
import { ConduitFavorites, FavoriteService } from "./articles/favorite-service.ts";
import { SlugMaker, slugMaker } from "./articles/slugs.ts";
import { Clock } from "./auth/clock.ts";
import { PasswordHasher, ScryptHasher } from "./auth/passwords.ts";
import { SessionService, TokenSessions } from "./auth/sessions.ts";
import { JwtSigner, TokenSigner } from "./auth/tokens.ts";
import { CommentController, HttpComments } from "./comments/comment-controller.ts";
import { CommentRepository, SqlCommentRepository } from "./comments/comment-repository.ts";
import { CommentService, ConduitComments } from "./comments/comment-service.ts";
import { Database } from "./database/database.ts";
import { FollowRepository, SqlFollowRepository } from "./profiles/follow-repository.ts";
import { HttpProfiles, ProfileController } from "./profiles/profile-controller.ts";
import { ConduitProfiles, ProfileService } from "./profiles/profile-service.ts";
import { conduitTags, httpTags, sqlTagRepository, TagController, TagRepository, TagService } from "./tags/tags.ts";
import { HttpUsers, UserController } from "./users/user-controller.ts";
import { SqlUserRepository, UserRepository } from "./users/user-repository.ts";
import { ConduitUsers, UserService } from "./users/user-service.ts";

/** The options of the beans. */
export interface ConduitBeansOptions {
  /** The folder of the database. In memory if undefined. */
  readonly dataDir: string | undefined;
  /** Signs the tokens, at least 32 bytes. */
  readonly jwtSecret: string;
  /** scrypt's N. */
  readonly passwordCost: number;
  readonly clock: Clock;
  /** Devtools' recorder, if there is one. */
  readonly recorder: BeanDecorator | undefined;
}

/** Opens the database, then builds everything on top of it. */
export function startBeans(options: ConduitBeansOptions): Promise<Beans> {
  const { dataDir, jwtSecret, passwordCost, clock, recorder } = options;
  const builder = Beans.builder()
    .bindAsync(Database, () => Database.open(dataDir))
    .bindInstance(Clock, clock)
    .bindInstance(SlugMaker, slugMaker)
    .bind(PasswordHasher, () => new ScryptHasher(passwordCost))
    .bind(TokenSigner, (b) => new JwtSigner(jwtSecret, b.get(Clock)))

    .bind(UserRepository, (b) => new SqlUserRepository(b.get(Database)))
    .bind(FollowRepository, (b) => new SqlFollowRepository(b.get(Database)))
    .bind(ArticleRepository, (b) => new SqlArticleRepository(b.get(Database)))
    .bind(FavoriteRepository, (b) => new SqlFavoriteRepository(b.get(Database)))
    .bind(CommentRepository, (b) => new SqlCommentRepository(b.get(Database)))
    .bind(TagRepository, (b) => sqlTagRepository(b.get(Database)))

    .bind(SessionService, (b) => new TokenSessions(b.get(TokenSigner), b.get(UserRepository)))
    .bind(UserService, (b) => new ConduitUsers(b.get(UserRepository), b.get(PasswordHasher)))
    .bind(ProfileService, (b) => new ConduitProfiles(b.get(UserRepository), b.get(FollowRepository)))
    .bind(ArticleService, (b) => new ConduitArticles(b.get(ArticleRepository), b.get(SlugMaker), b.get(Clock)))
    .bind(
      FavoriteService,
      (b) => new ConduitFavorites(b.get(FavoriteRepository), b.get(ArticleRepository), b.get(ArticleService)),
    )
    .bind(CommentService, (b) => new ConduitComments(b.get(CommentRepository), b.get(ArticleRepository), b.get(Clock)))
    .bind(TagService, (b) => conduitTags(b.get(TagRepository)))

    .bind(UserController, (b) => new HttpUsers(b.get(UserService), b.get(TokenSigner)))
    .bind(ProfileController, (b) => new HttpProfiles(b.get(ProfileService)))
    .bind(ArticleController, (b) => new HttpArticles(b.get(ArticleService)))
    .bind(FavoriteController, (b) => new HttpFavorites(b.get(FavoriteService)))
    .bind(CommentController, (b) => new HttpComments(b.get(CommentService)))
    .bind(TagController, (b) => httpTags(b.get(TagService)));
  return (recorder === undefined ? builder : builder.instrument(recorder)).startAsync();
}

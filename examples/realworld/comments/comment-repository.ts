/**
 * Comments in the database.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { Profile, Viewer } from "../profiles/profile.ts";
import type { Comment } from "./comment.ts";

/** Keeps comments, by the ids of their articles. */
export interface CommentRepository {
  /** The newest first. */
  list(articleId: number, viewer: Viewer): Promise<readonly Comment[]>;
  find(articleId: number, id: number, viewer: Viewer): Promise<Comment | undefined>;
  /** The author of the comment. */
  authorId(articleId: number, id: number): Promise<number | undefined>;
  /** The new comment's id. */
  add(articleId: number, authorId: number, body: string, createdAt: Date): Promise<number>;
  remove(id: number): Promise<void>;
}
/** The token of the bean. */
export const CommentRepository: Interface<CommentRepository> = Interface("CommentRepository");

const select = `
  select c.id, c.created_at as "createdAt", c.updated_at as "updatedAt", c.body, u.username, u.bio, u.image,
    exists (select 1 from follows where follower_id = $1::int and followed_id = u.id) as following
  from comments c join users u on u.id = c.author_id`;

type Row = Omit<Comment, "author"> & Profile;

/** In PostgreSQL. */
export class SqlCommentRepository implements CommentRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(articleId: number, viewer: Viewer): Promise<readonly Comment[]> {
    const order = "order by c.created_at desc, c.id desc";
    const rows = await this.#database.query<Row>(`${select} where c.article_id = $2 ${order}`, [
      viewer ?? null,
      articleId,
    ]);
    return rows.map(commentOf);
  }

  async find(articleId: number, id: number, viewer: Viewer): Promise<Comment | undefined> {
    const [row] = await this.#database.query<Row>(`${select} where c.article_id = $2 and c.id = $3`, [
      viewer ?? null,
      articleId,
      id,
    ]);
    return row === undefined ? undefined : commentOf(row);
  }

  async authorId(articleId: number, id: number): Promise<number | undefined> {
    const [row] = await this.#database.query<{ author: number }>(
      "select author_id as author from comments where article_id = $1 and id = $2",
      [articleId, id],
    );
    return row?.author;
  }

  async add(articleId: number, authorId: number, body: string, createdAt: Date): Promise<number> {
    const [row] = await this.#database.query<{ id: number }>(
      `insert into comments (article_id, author_id, body, created_at, updated_at) values ($1, $2, $3, $4, $4)
       returning id`,
      [articleId, authorId, body, createdAt],
    );
    if (row === undefined) throw new Error("The insert returned no row");
    return row.id;
  }

  async remove(id: number): Promise<void> {
    await this.#database.change("delete from comments where id = $1", [id]);
  }
}

function commentOf({ id, createdAt, updatedAt, body, username, bio, image, following }: Row): Comment {
  return { id, createdAt, updatedAt, body, author: { username, bio, image, following } };
}

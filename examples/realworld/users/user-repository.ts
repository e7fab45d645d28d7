/**
 * Users in the database.
 */
import { Interface } from "framework";
import type { Database } from "../database/database.ts";
import type { User, UserChanges } from "./user.ts";

/** A new user. */
export type NewUser = Pick<User, "email" | "username" | "passwordHash">;

/** Keeps users. */
export interface UserRepository {
  find(id: number): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  findByUsername(username: string): Promise<User | undefined>;
  /** @throws UniqueViolationError if the e-mail address or the name is taken. */
  add(user: NewUser): Promise<User>;
  /** @throws UniqueViolationError if the e-mail address or the name is taken. */
  change(id: number, changes: UserChanges): Promise<User>;
}
/** The token of the bean. */
export const UserRepository: Interface<UserRepository> = Interface("UserRepository");

const columns = `id, email, username, password_hash as "passwordHash", bio, image`;

/** In PostgreSQL. */
export class SqlUserRepository implements UserRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(id: number): Promise<User | undefined> {
    return this.#one(`select ${columns} from users where id = $1`, [id]);
  }

  findByEmail(email: string): Promise<User | undefined> {
    return this.#one(`select ${columns} from users where email = $1`, [email]);
  }

  findByUsername(username: string): Promise<User | undefined> {
    return this.#one(`select ${columns} from users where username = $1`, [username]);
  }

  async add({ email, username, passwordHash }: NewUser): Promise<User> {
    const added = await this.#one(
      `insert into users (email, username, password_hash) values ($1, $2, $3) returning ${columns}`,
      [email, username, passwordHash],
    );
    if (added === undefined) throw new Error("The insert returned no row");
    return added;
  }

  async change(id: number, changes: UserChanges): Promise<User> {
    const before = await this.find(id);
    if (before === undefined) throw new Error(`There is no user ${id}`);
    const { email = before.email, username = before.username, passwordHash = before.passwordHash } = changes;
    const { bio = before.bio, image = before.image } = changes;
    const after = await this.#one(
      `update users set email = $2, username = $3, password_hash = $4, bio = $5, image = $6
       where id = $1 returning ${columns}`,
      [id, email, username, passwordHash, bio, image],
    );
    return after ?? before;
  }

  async #one(text: string, values: readonly unknown[]): Promise<User | undefined> {
    const [row] = await this.#database.query<User>(text, values);
    return row;
  }
}

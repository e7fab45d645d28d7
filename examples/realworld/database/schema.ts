/**
 * The tables of Conduit. The database enforces uniqueness: the name of a constraint says which field is taken.
 */
export const schema = `
  create table users (
    id int generated always as identity primary key,
    email text not null constraint users_email unique,
    username text not null constraint users_username unique,
    password_hash text not null,
    bio text,
    image text
  );
  create table follows (
    follower_id int not null references users on delete cascade,
    followed_id int not null references users on delete cascade,
    primary key (follower_id, followed_id)
  );
  create table articles (
    id int generated always as identity primary key,
    slug text not null constraint articles_slug unique,
    author_id int not null references users on delete cascade,
    title text not null, description text not null, body text not null,
    tag_list text[] not null default '{}',
    created_at timestamptz not null, updated_at timestamptz not null
  );
  create index on articles (author_id);
  create index on articles using gin (tag_list);
  create table favorites (
    user_id int not null references users on delete cascade,
    article_id int not null references articles on delete cascade,
    primary key (user_id, article_id)
  );
  create index on favorites (article_id);
  create table comments (
    id int generated always as identity primary key,
    article_id int not null references articles on delete cascade,
    author_id int not null references users on delete cascade,
    body text not null,
    created_at timestamptz not null, updated_at timestamptz not null
  );
  create index on comments (article_id);
`;

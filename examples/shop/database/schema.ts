/**
 * The tables. Money is whole cents. Ids that people read (`p-0042`) come from sequences.
 * `product_cards` is the only place that joins the data of lists and searches.
 */
export const schema = `
  create table products (
    id text primary key, name text not null, category text not null, brand text not null,
    price_cents int not null check (price_cents > 0)
  );
  create table stock (
    product_id text primary key references products on delete cascade,
    quantity int not null check (quantity >= 0)
  );
  create table reviews (
    id int generated always as identity primary key,
    product_id text not null references products on delete cascade,
    author text not null, stars int not null check (stars between 1 and 5), text text not null,
    written_at timestamptz not null
  );
  create index reviews_of_product on reviews (product_id);
  create table promotions (category text primary key, percent int not null check (percent between 1 and 90));
  create table customers (
    id text primary key, name text not null, email text not null unique, password_hash text not null
  );
  create table orders (
    id text primary key, customer_id text not null references customers, status text not null,
    discount_cents int not null, total_cents int not null, placed_at timestamptz not null
  );
  create table order_lines (
    order_id text not null references orders on delete cascade, position int not null,
    product_id text not null references products, name text not null,
    quantity int not null check (quantity > 0), unit_price_cents int not null,
    primary key (order_id, position)
  );
  create table outbox (
    id int generated always as identity primary key,
    recipient text not null, subject text not null, text text not null
  );
  create sequence product_number;
  create sequence order_number;

  create view product_cards as
    select p.*, coalesce(s.quantity, 0) > 0 as in_stock, r.rating
    from products p
    left join stock s on s.product_id = p.id
    left join (select product_id, round(avg(stars), 1)::float8 as rating from reviews group by product_id) r
      on r.product_id = p.id;
`;

/**
 * Statements that pg-boss has no function for, on its table `job`, which majors 10 and 12 share.
 *
 * A list of names is one text, since each library has its own idea of an array.
 */

/** The names of `$1` that have due jobs. */
export const due = (schema: string): string =>
  `select distinct name from ${schema}.job
   where name = any(string_to_array($1, ',')) and state < 'active' and start_after < now()`;

/** The figures of the names of `$1`. */
export const counts = (schema: string): string =>
  `select name,
     count(*) filter (where state < 'active')::int as waiting,
     count(*) filter (where state = 'active')::int as active,
     count(*) filter (where state = 'failed')::int as failed,
     (extract(epoch from now() - min(start_after) filter (where state < 'active' and start_after < now())) * 1000)::float8 as oldest
   from ${schema}.job where name = any(string_to_array($1, ',')) group by name`;

/** The failed jobs of `$1`, at most `$2`. */
export const dead = (schema: string): string =>
  `select id, data, output from ${schema}.job where name = $1 and state = 'failed'
   order by completed_on desc, id limit $2::int`;

/** The job `$2` of `$1` waits again, after `$3` milliseconds. The attempt does not count. */
export const back = (schema: string): string =>
  `update ${schema}.job set state = 'retry', started_on = null, start_after = now() + $3::float8 * interval '1 ms'
   where name = $1 and id = $2::uuid and state = 'active'`;

/** The attempt at the job `$2` of `$1` is its last. */
export const last = (schema: string): string =>
  `update ${schema}.job set retry_limit = retry_count where name = $1 and id = $2::uuid and state = 'active'`;

/** The failed job `$2` of `$1` waits again, for one attempt. */
export const retry = (schema: string): string =>
  `update ${schema}.job set state = 'retry', retry_limit = retry_limit + 1, start_after = now(), completed_on = null
   where name = $1 and id = $2::uuid and state = 'failed' returning id`;

#!/bin/sh
set -e
[ -n "$REDIS_URL" ] || redis-server --port 0 --unixsocket /tmp/redis.sock --save "" --daemonize yes >/dev/null
exec node main.ts

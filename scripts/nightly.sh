#!/usr/bin/env bash
# `make nightly`: every proof of this repository, whole, one after the other, so that none spoils another's times.
#
#   scripts/nightly.sh                 all
#   scripts/nightly.sh fuzz slow       these
#
# What each came to is a row of docs/nightly.md, which says when it ran and at which commit; a row that did not run stays. The
# full output of each is in .build/nightly/. Needs what `.ci/run` installs; runtimes, Redis, nginx and HAProxy where they are.
set -uo pipefail
unset ONLY MAKEFLAGS # They choose verbs here, and mean something else to some of the verbs.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

page=docs/nightly.md
verbs=(check test e2e e2e-budget pack-test site-test conformance conformance-faults foreign fuzz faults slow soak work bench mutation)
[ "$#" -eq 0 ] || verbs=("$@")
mkdir -p .build/nightly
failed=0

# What a verb runs: the same targets that a person types.
run_verb() {
  case "$1" in
    e2e-budget) make e2e PROJECT=e2e-budget ;;
    conformance) make conformance ENGINES=all ;;
    fuzz) make fuzz SECONDS=20 ;;
    # Of the mutants two rooms: all of them take hours (`make mutation ROOMS=all`).
    mutation) make mutation ;;
    *) make "$1" ;;
  esac
}

[ -d conformance/runtimes/node_modules ] || make runtimes >.build/nightly/runtimes.txt 2>&1 || echo "skipped: make runtimes"
for verb in "${verbs[@]}"; do
  began=$SECONDS code=0
  echo "::: $verb"
  run_verb "$verb" </dev/null >".build/nightly/$verb.txt" 2>&1 || code=$?
  [ "$code" -eq 0 ] || failed=$((failed + 1))
  result="$(grep -oE '[0-9,]+ passed.*|mutation score of [0-9.]+' ".build/nightly/$verb.txt" | tail -n 1 | tr -s ' |' ' ' | cut -c1-80)"
  row="| $verb | ${result:-no counts} | $code | $(((SECONDS - began + 30) / 60)) min | $(date -u +%F) | $(git rev-parse --short=8 HEAD) |"
  echo "$row"
  { grep -v "^| $verb |" "$page"; echo "$row"; } >"$page.new" && mv "$page.new" "$page"
done
[ "$failed" -eq 0 ]

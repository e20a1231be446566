#!/bin/sh
# The command `sv-worker` of a worker image: as the container's first process it also is what that one has to be, an init.
# Node reaps no processes but its own children, and as the first process it would miss a signal that comes while it starts.
set -u
program=/node_modules/sv-runtime/sv-worker.cjs

# Only the container's own worker gives the sign of life, not one that somebody starts beside it with `docker exec`.
if [ $$ -eq 1 ] || [ "${PPID:-0}" -eq 1 ]; then
  export SV_HEARTBEAT_FILE="${SV_HEARTBEAT_FILE:-/tmp/sv-worker.alive}"
fi

# Something else is the first process, an init perhaps (docker run --init).
[ $$ -eq 1 ] || exec node "$program" "$@"

worker=
early=
interrupted=
pass_on() {
  interrupted=yes
  if [ -n "$worker" ]; then kill -s "$1" "$worker" 2>/dev/null; else early=$1; fi
}
trap 'pass_on TERM' TERM
# A terminal sends these to all of its processes, so the worker has them already.
if [ ! -t 0 ]; then
  trap 'pass_on INT' INT
  trap 'pass_on HUP' HUP
fi

# A shell gives what it starts in the background no standard input unless it is handed over by another number.
exec 3<&0
node "$program" "$@" <&3 3<&- &
worker=$!
exec 3<&-
[ -z "$early" ] || kill -s "$early" "$worker" 2>/dev/null

# While it waits for the worker the shell reaps whatever the container's other processes left behind. A signal ends the
# waiting early; a second answer of 127 means that the first one was the worker's.
code=
while :; do
  interrupted=
  wait "$worker"
  answer=$?
  if [ "$answer" -ne 127 ] || [ -z "$code" ]; then code=$answer; fi
  [ -n "$interrupted" ] || exit "$code"
done

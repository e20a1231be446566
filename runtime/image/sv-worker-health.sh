#!/bin/sh
# The health check of a worker image: whether the supervisor is alive, told by the file that its event loop touches every 5 s.
set -u
file="${SV_HEARTBEAT_FILE:-/tmp/sv-worker.alive}"
beat=$(stat -c %Y "$file" 2>/dev/null) || {
  echo "the worker has left no sign of life at $file: it has not started, or the directory cannot be written"
  exit 1
}
age=$(($(date +%s) - beat))
if [ "$age" -gt 15 ]; then
  echo "the worker's last sign of life is $age s old"
  exit 1
fi
echo "the worker's last sign of life is $age s old"

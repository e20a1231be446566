#!/bin/sh
# The health check of a worker image: whether the supervisor is alive, told by the file that its event loop touches every 5 s.
# A server (sv-worker server) has written there at which address it is to be asked.
set -u
file="${SV_HEARTBEAT_FILE:-/tmp/sv-worker.alive}"
beat=$(stat -c %Y "$file" 2>/dev/null) || {
  echo "the worker has left no sign of life at $file: it has not started, or the directory cannot be written"
  exit 1
}
address=
read -r address <"$file"
if [ -n "$address" ]; then
  # 204 is the answer of a server that is still making itself ready.
  exec node -e '
    const [, address] = process.argv;
    const say = (sentence, code) => { console.log(sentence); process.exit(code); };
    require("node:http")
      .get(address, { timeout: 5000 }, ({ statusCode }) => {
        say("the server answers " + statusCode + " at " + address, statusCode === 200 || statusCode === 204 ? 0 : 1);
      })
      .on("timeout", () => say("the server does not answer at " + address, 1))
      .on("error", ({ code }) => say("the server does not answer at " + address + ": " + code, 1));
  ' "$address"
fi
age=$(($(date +%s) - beat))
if [ "$age" -gt 15 ]; then
  echo "the worker's last sign of life is $age s old"
  exit 1
fi
echo "the worker's last sign of life is $age s old"

# SPDX-License-Identifier: MIT
#
# Takes a lock again and again, or with the argument "nothing" no lock at all.
exec 3<>"/dev/tcp/${REDIS_HOST}/${REDIS_PORT}"
say() {
  printf '%s\r\n' "$1" >&3
  IFS= read -r reply <&3
}
while :; do
  until [ "$1" = nothing ] || { say "SET lock:stock 1 NX PX 10000" && [ "${reply:0:1}" = + ]; }; do
    sleep 0.005
  done
  say "INTERLOCK.ENTER stock"
  say "INTERLOCK.LEAVE stock"
  say "DEL lock:stock"
done

# SPDX-License-Identifier: MIT
#
# A client that sends each of its arguments as a command, and waits for the first line of each reply,
# or until its connection breaks: then it goes on with another one.
connect() { exec 3<>"/dev/tcp/${REDIS_HOST}/${REDIS_PORT}"; }
connect
for command in "$@"; do
  printf '%s\r\n' "$command" >&3
  read -r _ <&3 || connect
done

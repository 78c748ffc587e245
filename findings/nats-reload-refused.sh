#!/usr/bin/env bash
# A reload of a NATS server that cannot change one setting keeps the users who were removed, and reports success.
#
# Guess: `nats-server --signal reload` of nats-server 2.9.10-1 (Debian 12) applies what it can of the new configuration, as many
# servers do, and leaves the rest for a restart; or it fails with a status other than 0. A user who is no longer in the file can no
# longer log in.
# Seen: one changed setting that only a restart can change makes the server refuse the whole file. The signal's status is 0, and
# `nats-server -t` finds the file valid; only the log of the server has "config reload not supported". The key of a machine that was
# stolen stays valid although it is in no file, until somebody looks into the log or restarts the server, and each later reload fails in
# the same way. Such settings are the limits and the folder of JetStream, the name of the server, a cluster, leaf nodes, WebSocket and
# monitoring. Who removes a user has to try to log in with the old key.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server" && wait "$server"; } || true; rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root nats-server=2.9.10-1+b3 || exit 77
dpkg-deb --extract nats-server_*.deb unpacked
program=$(find "$folder/unpacked" -name nats-server -type f | head -n 1)

# login PORT USER: whether the server accepts the user.
cat > login.py <<'END'
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as server:
    lines = server.makefile("rb")
    lines.readline()
    server.sendall(b'CONNECT {"verbose":false,"user":"%s","pass":"secret"}\r\nPING\r\n' % sys.argv[2].encode())
    line = lines.readline()
    while line and line != b"PONG\r\n" and not line.startswith(b"-ERR"):
        line = lines.readline()
    print("accepted" if line == b"PONG\r\n" else "refused")
END

try() { # NAME EXPRESSION: a server whose file changes by an expression of sed, and no longer has the user "stolen"
  local port login status=0
  port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
  rm -rf store server.log
  cat > server.conf <<END
server_name: one
listen: "127.0.0.1:$port"
ping_interval: "20s"
jetstream { store_dir: "$folder/store", max_file: 100MB, max_mem: 10MB }
accounts {
  DESKS { users: [
    { user: stolen, password: secret }
    { user: kept, password: secret }
  ] }
}
END
  "$program" -c server.conf -P "$folder/pid" -l server.log &
  server=$!
  for _ in $(seq 100); do
    ! grep -q 'Server is ready' server.log 2> missing || break
    sleep 0.1
  done
  [ "$(python3 login.py "$port" stolen)" = accepted ]
  sed -i -e '/user: stolen/d' -e "$2" server.conf
  "$program" -t -c server.conf > test 2>&1 || echo "the file is not valid"
  "$program" --signal "reload=$folder/pid" || status=$?
  for _ in $(seq 50); do
    ! grep -qE 'Reloaded server configuration|Failed to reload' server.log || break
    sleep 0.1
  done
  login=$(python3 login.py "$port" stolen)
  [ "$(python3 login.py "$port" kept)" = accepted ]
  echo "$1: status $status, the removed user is $login$(sed -n 's/.*\(config reload not supported\).*/; log: \1/p' server.log)"
  kill "$server"
  wait "$server" || true
  server=
}

{
  try 'the user alone' ''
  try 'and ping_interval' 's/20s/10s/'
  try 'and max_file' 's/100MB/200MB/'
  try 'and store_dir' 's|/store"|/other"|'
  try 'and server_name' 's/one/two/'
  try 'and leaf nodes' '1i leafnodes { listen: "127.0.0.1:-1" }'
} | tee seen
diff seen - <<'END'
the user alone: status 0, the removed user is refused
and ping_interval: status 0, the removed user is refused
and max_file: status 0, the removed user is accepted; log: config reload not supported
and store_dir: status 0, the removed user is accepted; log: config reload not supported
and server_name: status 0, the removed user is accepted; log: config reload not supported
and leaf nodes: status 0, the removed user is accepted; log: config reload not supported
END

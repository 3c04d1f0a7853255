# SPDX-License-Identifier: MIT
#
# Asks `interlock report --view FOLDER` as a browser would, and ends it as Ctrl-C does.
#
#   python3 view_client.py PROGRAM FOLDER
#
# Prints one line for each thing it found out.
import http.client
import signal
import socket
import subprocess
import sys

program, folder = sys.argv[1:3]
server = subprocess.Popen([program, "report", "--view", folder, "--port", "0"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
line = server.stdout.readline().strip()
assert line.startswith("listening on http://127.0.0.1:") and line.endswith("/"), line
port = int(line[:-1].rsplit(":", 1)[1])
try:
    # Those that a browser opens and does not use must not hold up the others.
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(8)]
    idle[0].sendall(b"GET /re")
    for path in ("/", "/report.html", "/none"):
        browser = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        browser.request("GET", path)
        answer = browser.getresponse()
        body = answer.read()
        print(path, answer.status, answer.getheader("Content-Type"), b"</html>" in body)
    raw = socket.create_connection(("127.0.0.1", port), timeout=20)
    raw.sendall(b"GET /../../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
    print("traversal", raw.recv(4096).split(b"\r\n")[0].decode())
    raw = socket.create_connection(("127.0.0.1", port), timeout=20)
    raw.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 400000)
    print("endless", raw.recv(4096).split(b"\r\n")[0].decode())
    second = subprocess.run([program, "report", "--view", folder, "--port", str(port)],
                            capture_output=True, text=True, timeout=20)
    print("taken", second.returncode, "Address already in use" in second.stderr)
    # Only the loopback: the port is free on every other address of this machine.
    other = socket.socket()
    other.bind(("127.0.0.2", port))
    print("loopback alone")
finally:
    server.send_signal(signal.SIGINT)
print("ended", server.wait(timeout=20), server.stderr.read().strip().splitlines()[-1])

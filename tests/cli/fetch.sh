# SPDX-License-Identifier: MIT
# Downloads over https from a server of our own: never on to http, no password on the screen, sums compared and printed.
source "$(dirname "$0")/expect.bash"
command -v openssl >/dev/null && python3 -c 'import ssl' || { echo "skipped: needs openssl and python3"; exit 77; }
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
mkdir served
python3 -c 'import zipfile; zipfile.ZipFile("served/TINY.zip", "w").writestr("TINY/TINY_A.txt", "1, 2\\n")'
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost >/dev/null 2>&1
cat >server.py <<'PYTHON'
# /plain/X.zip serves X.zip; /down/X.zip redirects to http, /up/X.zip to https; ports go to the file "ports".
import http.server, ssl, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        way, name = self.path.strip("/").split("/")
        if way in ("down", "up"):
            self.send_response(302)
            scheme, port = ("http", plain.server_port) if way == "down" else ("https", secure.server_port)
            self.send_header("Location", f"{scheme}://localhost:{port}/plain/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = open("served/" + name, "rb").read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

plain, secure = (http.server.ThreadingHTTPServer(("localhost", 0), Handler) for _ in range(2))
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("cert.pem", "key.pem")
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=plain.serve_forever, daemon=True).start()
with open("ports.new", "w") as f:
    f.write(f"{plain.server_port} {secure.server_port}\n")
import os
os.rename("ports.new", "ports")
threading.Thread(target=secure.serve_forever, daemon=True).start()
sys.stdin.read()
PYTHON
mkfifo hold
python3 server.py <hold &
server=$! ran="server.py"
exec 7>hold # the server ends with this script
await $server test -s ports
read -r http https <ports
export SSL_CERT_FILE=$work/cert.pem

run "$l2r" data fetch TINY --out a --base-url "https://localhost:$https/plain"
expect_code 0
sum=$(sha256sum served/TINY.zip | cut -d ' ' -f 1)
expect_line out "^SHA-256 of the zip: $sum \(nothing to compare it with"
run "$l2r" data fetch TINY --out b --base-url "https://localhost:$https/down"
expect_code 1
expect_line err 'TINY.zip: the server redirects from https to another protocol'
[[ ! -e b/TINY.zip && ! -e b/TINY.zip.part ]] || fail "something came over http"
run "$l2r" data fetch TINY --out c --base-url "http://localhost:$http/up"
expect_code 0
sha256sum served/TINY.zip | sed 's|served/||' >sums
run "$l2r" data fetch TINY --out d --base-url "http://localhost:$http/plain" --sums sums --json
expect_code 0
expect_equal "$(json out 'x["sha256"], x["sha256_compared"], x["already_there"]')" "('$sum', True, False)"
SSL_CERT_FILE='' run "$l2r" data fetch TINY --out e --base-url "https://ann:tr0uble@localhost:$https/plain"
expect_code 1 # a certificate that nobody vouches for
grep -q tr0uble err && fail "the password is shown"
expect_line err '^l2r: https://…@localhost:'
finish

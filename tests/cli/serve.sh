# SPDX-License-Identifier: MIT
# l2r serve over HTTP: the same numbers as l2r predict, in every format; limits and refusals with their codes; hostile
# requests; models that change while the server runs; a quiet end.
source "$(dirname "$0")/expect.bash"
source "$(dirname "$0")/server.bash"

molecule_tables
run "$l2r" train --data values.csv --model gin "${small[@]}" --out values --quiet
grep -q librdkit-dev err && exit 77
expect_code 0
run "$l2r" train --data classes.csv --model gin "${small[@]}" --out classes --quiet
expect_code 0
run "$l2r" train --data values.csv --model gin "${small[@]}" --seed 1 --out other --quiet
expect_code 0

run "$l2r" serve nowhere
expect_code 1
run "$l2r" serve values --port 99999
expect_code 2
run "$l2r" train --data "$tiny" "${small[@]}" --model gin --out graphs --quiet
expect_code 0

printf 'id,smiles,dose\n1,CCO,2\n2,"C(C",3\n"a ""b""",c1ccccc1,\n' >rows.csv
run "$l2r" predict values --data rows.csv --out expected.csv
mkdir -p sketch/editor
run "$l2r" serve values --sketcher sketch
expect_error 1 "sketch holds no sketcher; expected JSME, with its file jsme.nocache.js"
echo "var JSApplet = {};" >sketch/editor/jsme.nocache.js
echo "secret" >sketch/outside.js
start_server values classes graphs --sketcher sketch --max-body 1 --max-molecules 3000 --max-waiting 8

cat >look.py <<'PYTHON'
import csv, http.client, io, json, os, socket, sys, time, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
HOST, PORT = url.hostname, url.port

def ask(method, path, body=None, **headers):
    c = http.client.HTTPConnection(HOST, PORT, timeout=60)
    c.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
    r = c.getresponse()
    text = r.read()
    c.close()
    return r, text.decode(errors="replace")

def predict(body, kind="application/json", path="/api/predict", **headers):
    if not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    r, text = ask("POST", path, body, Content_Type=kind, **headers)
    return r.status, (json.loads(text) if r.getheader("Content-Type") == "application/json" else text), r

# ---- the same numbers as the command, in every format ----
code, text, _ = predict(open("rows.csv").read(), "text/csv", "/api/predict?models=values&format=csv")
assert code == 200 and text == open("expected.csv").read(), text
code, one, _ = predict({"smiles": "CCO", "models": ["values"]})
assert code == 200 and one["models"] == ["values"], one
row = list(csv.DictReader(open("expected.csv")))[0]
assert abs(one["molecules"][0]["predictions"]["values"]["value"] - float(row["value"])) < 1e-6
code, many, _ = predict({"molecules": [{"smiles": "CCO", "id": "ethanol"}, {"smiles": "C(C", "id": 7}, "CC"]})
assert code == 200 and [m.get("id") for m in many["molecules"]] == ["ethanol", 7, None], many
assert many["molecules"][1]["problem"] == "not a valid SMILES" and many["molecules"][1]["predictions"] is None
assert set(many["molecules"][0]["predictions"]) == {"values", "classes"}
code, text, _ = predict({"smiles": ["CCO", "CC"], "models": "values", "format": "csv"})
assert [r["smiles"] for r in csv.DictReader(io.StringIO(text))] == ["CCO", "CC"], text
code, text, r = predict("CCO ethanol\nCC ethane\n", "text/plain", Accept="application/x-ndjson")
lines = [json.loads(line) for line in text.splitlines()]
assert r.getheader("Content-Type") == "application/x-ndjson", text
assert [l["columns"]["name"] for l in lines] == ["ethanol", "ethane"], text

# ---- long requests: all rows, in order, while short ones are answered ----
long = "smiles,n\n" + "".join(f"{'C' * (1 + i % 9)}O,{i}\n" for i in range(2900))
slow = http.client.HTTPConnection(HOST, PORT, timeout=120)
slow.request("POST", "/api/predict?format=ndjson", long, {"Content-Type": "text/csv"})
assert predict({"smiles": "CCO"})[0] == 200
rows = [json.loads(line) for line in slow.getresponse().read().decode().splitlines()]
assert [int(r["columns"]["n"]) for r in rows] == list(range(2900))
same = [r["predictions"]["values"]["value"] for r in rows[1::9]]
assert max(same) - min(same) < 1e-5 * (1 + abs(same[0])), same  # the same molecule, in whatever batch

# ---- what is refused, and how ----
def error(status, *args, **kwargs):
    code, answer, r = predict(*args, **kwargs)
    assert code == status and isinstance(answer, dict) and answer["error"], (code, answer)
    return answer["error"], r
for body in ['{"smiles": "CCO"', "[]", "{}", '{"smiles": 3}', '{"smiles": []}', '{"molecules": [{"id": 1}]}', "",
             '{"smiles": "C", "x": 1}', '{"molecules": [{"smiles": "C", "id": []}]}', '{"smiles": "C", "models": []}',
             '{"smiles": "C", "models": [7]}', '{"smiles": "C\\u0000"}', b'{"smiles": "\xff"}', "[" * 100000,
             '{"smiles": "C", "format": "xml"}', "nonsense"]:
    error(400, body)
assert "there is no model" in error(400, {"smiles": "C", "models": ["none"]})[0]
assert "twice" in error(400, {"smiles": "C", "models": ["values", "values"]})[0]
error(400, "a,b\n1,2\n", "text/csv")
error(400, "smiles\nCCO\n", "text/csv", "/api/predict?smiles-column=nothing")
error(400, "smiles\nCCO\n", "text/csv", "/api/predict?delimiter=%0d%0aX:1")
error(400, {"smiles": "CCO"}, path="/api/predict?delimiter=comma")
error(415, "{}", "application/xml")
error(415, b"\x1f\x8b\x08\0", "text/csv")
error(413, {"smiles": ["C"] * 3001})
error(413, "smiles\n" + "C\n" * 3001, "text/csv")
code, bad, _ = predict({"smiles": ["", "C" * 20000, "*", "C\n", "é"]})
assert code == 200 and [bool(m["problem"]) for m in bad["molecules"]] == [True, True, True, False, True], bad
assert predict(b"smiles\nCC\xff\nCCO\n", "text/csv", "/api/predict?format=csv")[0] == 200
r, text = ask("GET", "/api/predict")
assert r.status == 405 and r.getheader("Allow") == "POST"
assert ask("DELETE", "/api/models")[0].getheader("Allow") == "GET, HEAD, POST"
for path in ["/nothing", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/serve.css/..", "//", "/api/"]:
    r, text = ask("GET", path)
    assert r.status == 404 and "root:" not in text, (path, r.status)

# ---- other sites ----
def refused(status, **headers):
    r, text = ask("GET", "/api/models", **headers)
    assert r.status == status, (headers, r.status, text)
refused(421, Host="evil.example")
refused(421, Host=f"evil.example:{PORT}")
refused(421, Host=f"127.0.0.1:{PORT + 1}")
refused(421, Host="")
refused(200, Host=f"localhost:{PORT}")
refused(403, Origin="http://evil.example")
refused(403, Origin="null")
refused(403, Sec_Fetch_Site="cross-site")
refused(403, Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
refused(200, Sec_Fetch_Site="same-origin", Origin=f"http://127.0.0.1:{PORT}")
assert ask("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")[0].status == 200
assert predict({"smiles": "C"}, Origin="http://evil.example")[0] == 403

# ---- the page: its parts, and headers that keep it to itself ----
r, text = ask("GET", "/")
policy = r.getheader("Content-Security-Policy")
assert r.status == 200 and "default-src 'none'" in policy and "unsafe" not in policy and "<script>" not in text
for name in ["serve.css", "axes.js", "charts.js", "page.js", "predict.js"]:
    r, part = ask("GET", "/" + name)
    assert r.status == 200 and len(part) > 500 and r.getheader("X-Content-Type-Options") == "nosniff", name
assert ask("HEAD", "/")[1] == ""

# ---- the sketcher: its files alone, for a frame of another origin ----
r, text = ask("GET", "/sketcher/", Host=f"localhost:{PORT}", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
policy = r.getheader("Content-Security-Policy")
assert r.status == 200 and "jsmeOnLoad" in text and "default-src 'none'" in policy and "connect-src" not in policy
r, text = ask("GET", "/sketcher/jsme.nocache.js", Sec_Fetch_Site="cross-site")
assert r.status == 200 and text == "var JSApplet = {};\n" and r.getheader("Content-Type").startswith("text/javascript")
for path in ["outside.js", "../outside.js", "%2e%2e/outside.js", "editor/jsme.nocache.js", "x"]:
    r, text = ask("GET", "/sketcher/" + path)
    assert r.status == 404 and "secret" not in text, path
assert ask("GET", "/sketcher/", Host="evil.example")[0].status == 421

# ---- the description: every path is there, its examples work, and its codes are those that come ----
api = json.loads(ask("GET", "/openapi.json")[1])
for path, methods in api["paths"].items():
    for method, what in methods.items():
        bodies = [(kind, of.get("example")) for kind, of in what.get("requestBody", {}).get("content", {}).items()]
        for kind, example in bodies or [(None, None)]:
            if bodies and example is None:
                continue
            body = json.dumps(example) if isinstance(example, dict) else example
            r, text = ask(method.upper(), path, body, **({"Content_Type": kind} if kind else {}))
            assert str(r.status) in what["responses"], (path, r.status)
            if r.status != 200:
                continue
            kind = r.getheader("Content-Type").split(";")[0]
            schema = what["responses"]["200"]["content"][kind]["schema"]
            schema = api["components"]["schemas"][schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
            assert all(key in json.loads(text) for key in schema.get("required", [])), (path, text)
        r, text = ask("PATCH", path)
        assert r.status == 405, (path, r.status)
r, text = ask("GET", "/metrics")
assert "l2r_molecules_total " in text and 'l2r_predict_seconds_bucket{le="+Inf"}' in text

# ---- raw bytes ----
def raw(data, wait=20):
    s = socket.create_connection((HOST, PORT), timeout=wait)
    answer = b""
    try:
        s.sendall(data)
        while True:
            more = s.recv(65536)
            if not more:
                break
            answer += more
    except (ConnectionError, socket.timeout):
        pass
    s.close()
    return answer
host = f"Host: 127.0.0.1:{PORT}\r\n".encode()
post, get = b"POST /api/predict HTTP/1.1\r\n" + host, b"GET / HTTP/1.1\r\n" + host
assert b" 413 " in raw(post + b"Content-Length: 2000000\r\n\r\n").split(b"\r\n")[0]
piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
for junk in [post + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 40,
             post + b"Content-Length: 99999999999999999999\r\n\r\n", post + b"Content-Length: -5\r\n\r\n",
             post + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", b"\0" * 100 + b"\r\n\r\n", b"GET\r\n\r\n",
             b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n" + host + b"\r\n",
             get + b"X: " + b"y" * 100000 + b"\r\n\r\n", get + b"A: b\r\n" * 5000 + b"\r\n"]:
    assert b" 200 " not in raw(junk, 5)[:20], junk[:80]
lines = raw(b"GET /?token=a%0d%0aSet-Cookie:x=1 HTTP/1.1\r\nConnection: close\r\n" + host + b"\r\n")
assert b"x=1" not in lines.split(b"\r\n\r\n")[0]
# Bodies that never come, and clients that leave, hold up nobody.
held = [socket.create_connection((HOST, PORT)) for _ in range(200)]
for s in held[:100]:
    s.sendall(b"POST /api/predict HTTP/1.1\r\n" + host + b"Content-Length: 100\r\n\r\n{")
for s in held[100:]:
    s.sendall(b"GET / HTTP/1.1\r\nHo")
for _ in range(6):  # within --max-waiting
    gone = socket.create_connection((HOST, PORT))
    gone.sendall(post + b"Content-Type: text/csv\r\nContent-Length: %d\r\n\r\n" % len(long) + long.encode())
    gone.close()
assert predict({"smiles": "CCO"})[0] == 200
for s in held:
    s.close()

# ---- too many at once ----
def waiting():
    return int(ask("GET", "/metrics")[1].split("\nl2r_waiting ")[1].split()[0])
crowd = []
codes = []
for _ in range(14):
    c = http.client.HTTPConnection(HOST, PORT, timeout=120)
    c.request("POST", "/api/predict?format=ndjson", long, {"Content-Type": "text/csv"})
    crowd.append(c)
for c in crowd:
    r = c.getresponse()
    codes.append(r.status)
    if r.status == 429:
        assert r.getheader("Retry-After")
    r.read()
assert set(codes) <= {200, 429} and 200 in codes, codes
for _ in range(600):
    if waiting() == 0:
        break
    time.sleep(0.05)
assert waiting() == 0

# ---- explanations ----
code, drawn, _ = predict({"smiles": "CCO"}, path="/api/draw")
assert code == 200 and drawn["atoms"] == 3 and "<svg" in drawn["svg"] and "style=" not in drawn["svg"], drawn
code, drawn, _ = predict({"smiles": "C(("}, path="/api/draw")
assert code == 200 and drawn["problem"] and "svg" not in drawn
code, why, _ = predict({"smiles": "CCO", "model": "values", "output": 0}, path="/api/explain")
assert code == 200 and len(why["contributions"]["atoms"]) == 3 and len(why["neighbours"]) == 4, why
assert all("logS (mol/L)" in n["labels"] and "<svg" in n["svg"] for n in why["neighbours"])
said = predict({"smiles": "CCO", "models": ["values"]})[1]["molecules"][0]["predictions"]["values"]["value"]
assert abs(why["contributions"]["value"] - said) < 1e-4 * (1 + abs(said)), (why["contributions"], said)
for body in [{"smiles": "CCO", "model": "none"}, {"smiles": "CCO", "output": 3}, {"smiles": "C(("}, {"model": "values"},
             {"smiles": "C", "y": 1}, {"smiles": "C", "explainer": "x"}]:
    assert predict(body, path="/api/explain")[0] == 400, body

# ---- structural alerts: lists and atoms of a catechol with an azo group; of ethanol none ----
code, found, _ = predict({"smiles": "O=C(O)c1ccc(N=Nc2ccc(O)c(O)c2)cc1"}, path="/api/alerts")
assert code == 200 and {a["set"] for a in found["alerts"]} == {"PAINS", "Brenk"}, found
assert [a["atoms"] for a in found["alerts"] if a["name"].startswith("azo_A")] == [[7, 8]], found
assert all("<svg" in a["svg"] for a in found["alerts"])
assert predict({"smiles": "CCO"}, path="/api/alerts")[1] == {"alerts": []}
assert predict({"smiles": "C(("}, path="/api/alerts")[0] == 400

# ---- a model of graphs that are no molecules: those of its own data ----
for _ in range(1200):
    graphs = next(m for m in json.loads(ask("GET", "/api/models")[1])["models"] if m["name"] == "graphs")
    if graphs["graphs"]:
        break
    time.sleep(0.05)
assert graphs["graphs"] == 96 and not graphs["molecules"], graphs
code, one, _ = predict({"model": "graphs", "graph": 95}, path="/api/graph")
assert code == 200 and one["part"] in ("train", "valid", "test") and "<svg" in one["svg"], one
assert len(one["contributions"]["nodes"]) == one["nodes"] and len(one["contributions"]["ends"]) == 2 * one["edges"]
assert abs(sum(one["prediction"][key] for key in one["prediction"] if key.startswith("p_")) - 1) < 1e-5, one
for body in [{"model": "graphs", "graph": 96}, {"model": "graphs", "graph": -1}, {"model": "none", "graph": 0},
             {"model": "graphs", "graph": 0, "output": 9}, {"model": "graphs"},
             {"model": "graphs", "graph": 0, "x": 1}]:
    assert predict(body, path="/api/graph")[0] == 400, body
assert "no molecules" in error(400, {"smiles": "CCO", "models": ["graphs"]})[0]
assert predict({"smiles": "CCO", "model": "graphs"}, path="/api/explain")[0] == 400
assert predict({"table": "a.csv", "name": "a"}, path="/api/trainings")[0] == 403

# ---- a model that changes ----
def models():
    return {m["name"]: m for m in json.loads(ask("GET", "/api/models")[1])["models"]}
assert models()["values"]["version"] == 1 and models()["values"]["outputs"][0]["task"] == "logS (mol/L)"
before = predict({"smiles": "CCO", "models": ["values"]})[1]
os.replace("other/best.safetensors", "values/best.safetensors")
for _ in range(1200):
    if models()["values"]["version"] == 2:
        break
    assert predict({"smiles": "CCO"})[0] == 200
    time.sleep(0.05)
after = predict({"smiles": "CCO", "models": ["values"]})[1]
assert models()["values"]["version"] == 2 and after != before
open("classes/new", "wb").write(b"no model")
os.replace("classes/new", "classes/best.safetensors")
for _ in range(1200):
    if models()["classes"]["problem"]:
        break
    time.sleep(0.05)
assert models()["classes"]["problem"] and predict({"smiles": "CCO", "models": ["classes"]})[0] == 200
PYTHON
run timeout 250 python3 look.py "$url"
expect_code 0
stop_server

# What is under way when it stops is answered to its end.
start_server values
cat >end.py <<'PYTHON'
import http.client, json, os, signal, sys, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
body = json.dumps({"smiles": ["C" * (1 + i % 30) for i in range(2000)]})
c.request("POST", "/api/predict?format=ndjson", body, {"Content-Type": "application/json"})
r = c.getresponse()
first = r.readline()
os.kill(int(sys.argv[2]), signal.SIGTERM)
assert r.status == 200 and len([first, *r.read().splitlines()]) == 2000
PYTHON
run timeout 100 python3 end.py "$url" "$pid"
expect_code 0
wait "$pid" || fail "the server did not end well"

# Runs: a list, comparisons, the report, events; nothing outside of their folder.
run "$l2r" serve
expect_error 2 "expected a model, or --runs with a folder of runs"
run "$l2r" serve --runs nowhere
expect_error 1 "nowhere: no such folder of runs"
mkdir -p runs/.hidden outside
for seed in 0 1; do
    for method in erm l2r; do
        run "$l2r" train --data "$tiny" "${small[@]}" --model gin --method $method --seed $seed \
            --out runs/of-$method/$seed --quiet
    done
done
cp -r runs/of-erm/0 outside/run
cp -r runs/of-erm/0 runs/.hidden/run
ln -s ../outside runs/link
start_server --runs runs
cat >runs.py <<'PYTHON'
import http.client, json, os, sys, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
def ask(path):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    c.request("GET", path)
    r = c.getresponse()
    return r, r.read().decode()
runs = json.loads(ask("/api/runs")[1])["runs"]
assert [r["name"] for r in runs] == ["of-erm/0", "of-erm/1", "of-l2r/0", "of-l2r/1"], runs
assert all(r["state"] == "finished" and r["metric"] == "accuracy" and r["epochs"] == 2 for r in runs), runs
names = ",".join(r["name"] for r in runs)
both = json.loads(ask(f"/api/runs/compare?runs={names}")[1])
assert [g["runs_of"] for g in both["groups"]] == ["2 seeds", "2 seeds"], both["groups"]
assert both["groups"][1]["difference"]["pairs"] == "2 pairs" and both["differing"]["options"][0]["option"] == "method"
assert both["charts"]["curves"]["charts"][0]["lines"][0]["x"] == [1, 2]
r, html = ask("/report?runs=of-l2r/0")
assert r.status == 200 and "weights of the training graphs" in html, r.status
# The weights that a run has learned: as many graphs in the histogram as were trained on, the ends in order and drawn.
weights = json.loads(ask("/api/runs/weights?run=of-l2r/0")[1])["weights"]
chart = weights["charts"][weights["facts"]["set"]]["charts"][0]
assert sum(sum(stack["n"]) for stack in chart["stacks"]) == int(weights["facts"]["graphs"]) == 48, chart
low, high = ([float(g["weight"]) for g in gallery["drawn"]] for gallery in weights["galleries"])
assert low == sorted(low) and high == sorted(high, reverse=True) and len(low) == len(high) == 4, (low, high)
assert low[0] == float(weights["facts"]["lowest"]) < float(weights["facts"]["highest"]) == high[0], weights["facts"]
assert all(g["drawing"].startswith("<svg") for gallery in weights["galleries"] for g in gallery["drawn"])
assert json.loads(ask("/api/runs/weights?run=of-erm/0")[1]) == {"run": "of-erm/0", "weights": None}
os.rename("runs/of-l2r/1/best.safetensors", "outside/best")
r, text = ask("/api/runs/weights?run=of-l2r/1")
assert r.status == 404 and "no such model" in json.loads(text)["error"], (r.status, text)
os.rename("outside/best", "runs/of-l2r/1/best.safetensors")
for name in ["", "none", "../outside/run", "/etc", ".hidden/run", "of-erm/../of-erm/0", "of-erm//0", "x" * 5000, ","]:
    assert ask(f"/api/runs/compare?runs={urllib.parse.quote(name)}")[0].status == 400, name
    assert ask(f"/api/runs/weights?run={urllib.parse.quote(name)}")[0].status == 400, name
assert json.loads(ask("/api/models")[1]) == {"models": [], "runs": True, "train": False,
                                                "sketcher": False}

# What changes is told: a new run, and one that goes on.
c = http.client.HTTPConnection(url.hostname, url.port, timeout=100)
c.request("GET", "/api/runs/events")
events = c.getresponse()
assert events.status == 200 and events.getheader("Content-Type") == "text/event-stream"
def event():
    while True:
        line = events.fp.readline().decode()
        if line.startswith("data: "):
            return json.loads(line[6:])
event()
os.rename("outside/run", "runs/new")
assert event() == {"changed": ["new"], "gone": []}
with open("runs/new/metrics.jsonl", "a") as f:
    f.write('{"epoch": 3, "loss": 0.5}\n')
assert event() == {"changed": ["new"], "gone": []}
os.rename("runs/new", "outside/run")
assert event() == {"changed": [], "gone": ["new"]}
PYTHON
run timeout 200 python3 runs.py "$url"
expect_code 0
stop_server

# A token: for other addresses, or wanted.
printf 'a-token-of-some-length\n' >token
start_server values --bind 127.0.0.2 --token-file token
expect_equal "$token" a-token-of-some-length
python3 - "$url" <<'PYTHON' || fail "tokens"
import http.client, sys, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
def ask(path, **headers):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    c.request("GET", path, headers=headers)
    r = c.getresponse()
    r.read()
    return r
assert ask("/").status == 401 and ask("/api/models").status == 401 and ask("/healthz").status == 200
assert ask("/api/models", Authorization="Bearer wrong").status == 401
assert ask("/api/models", Authorization="Bearer a-token-of-some-lengt").status == 401
assert ask("/api/models", Authorization="Bearer a-token-of-some-length").status == 200
r = ask("/?token=a-token-of-some-length")
assert r.status == 303 and r.getheader("Location") == "/"
cookie = r.getheader("Set-Cookie")
assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
assert ask("/", Cookie="x=1; " + cookie.split(";")[0]).status == 200
assert ask("/", Cookie="l2r-token=wrong").status == 401
PYTHON
stop_server
printf 'short\n' >token
run "$l2r" serve values --port 0 --token-file token
expect_code 1
expect_line err '^l2r: token:1: no token; expected 16 to 128 letters'

# Trainings from the page: the command's checks, its words, stop and continue; nothing outside of the two folders.
run "$l2r" serve values --allow-train .
expect_error 2 "--allow-train needs --runs, the folder that new runs go into"
run "$l2r" serve --runs runs --allow-train nowhere
expect_error 1 "nowhere: no such folder of tables"
mkdir tables tables/.hidden.csv trained
cp values.csv tables/
cp values.csv "tables/a b.csv"
echo "no table" >tables/notes.md
start_server --runs trained --allow-train tables
cat >train.py <<'PYTHON'
import http.client, json, sys, time, urllib.parse
url = urllib.parse.urlparse(sys.argv[1])
def ask(path, body=None):
    c = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    c.request("POST" if body is not None else "GET", path, json.dumps(body) if body is not None else None, headers)
    r = c.getresponse()
    return r.status, json.loads(r.read())
def wait(name, *states):
    for _ in range(2400):
        one = next(t for t in ask("/api/trainings")[1]["trainings"] if t["name"] == name)
        if one["state"] in states:
            return one
        time.sleep(0.05)
    raise AssertionError(one)
assert ask("/api/predict", {"smiles": "C"})[0] == 400 and ask("/api/explain", {"smiles": "C"})[0] == 400
code, all = ask("/api/trainings")
assert code == 200 and all["tables"] == ["a b.csv", "values.csv"] and all["trainings"] == [], all
assert {"gin", "dmpnn"} <= {m["name"] for m in all["models"]} and "erm" in {m["name"] for m in all["methods"]}
code, table = ask("/api/trainings/table?name=values.csv")
assert table == {"columns": ["smiles", "logS (mol/L)"], "smiles": "smiles"}, table
for name in ["", "notes.md", "../values.csv", "..%2Fvalues.csv", ".hidden.csv", "none.csv"]:
    assert ask("/api/trainings/table?name=" + name)[0] == 400, name
small = {"model": "gin", "hidden": 8, "layers": 2, "epochs": 2}
code, said = ask("/api/trainings/check", {"table": "a b.csv", "name": "one", "options": {**small, "refit": True}})
assert said["command"] == ("l2r train '--data=tables/a b.csv' --out=trained/one --model=gin --hidden=8 --layers=2 "
                           "--epochs=2 --refit"), said
for options, word in [({"lr": "much"}, "lr"), ({"hiden": 8}, "hidden"), ({"from": "x"}, "from"), ({"model": "x"}, "x"),
                      ({"split-file": "/etc/passwd"}, "split-file"), ({"exclude": "a.csv"}, "exclude"),
                      ({"data": "b"}, "data"),
                      ({"members": "gin:x=1"}, "members"), ({"out": "x"}, "out")]:
    body = {"table": "values.csv", "name": "one", "options": options}
    code, said = ask("/api/trainings/check", body)
    assert code == 200 and said["command"] is None and word in said["problem"], (options, said)
    assert ask("/api/trainings", body)[0] == 400, options
for name in ["", "../x", "a/b", ".x", "-x", "a b", "x" * 200]:
    assert ask("/api/trainings", {"table": "values.csv", "name": name})[0] == 400, name
for body in [[], {}, {"table": "values.csv"}, {"name": "x"}, {"resume": "none"}, {"resume": "x", "name": "y"},
             {"table": "../values.csv", "name": "x"}, {"table": "values.csv", "name": "x", "y": 1}]:
    assert ask("/api/trainings", body)[0] == 400, body
odd = {"table": "values.csv", "name": "one", "options": {"epochs": []}}
assert ask("/api/trainings", odd)[0] == 400 and ask("/api/trainings/check", odd)[0] == 400
assert ask("/api/trainings")[1]["trainings"] == []

assert ask("/api/trainings", {"table": "values.csv", "name": "one", "options": small})[0] == 200
assert ask("/api/trainings", {"table": "values.csv", "name": "one", "options": small})[0] == 400
assert wait("one", "finished", "failed")["state"] == "finished"
assert ask("/api/trainings", {"table": "values.csv", "name": "one", "options": small})[0] == 400  # there is a run
code, model = ask("/api/models", {"run": "one"})
assert code == 200 and model == {"name": "one"} and ask("/api/models", {"run": "one"})[1] == model
assert ask("/api/models", {"run": "../trained/one"})[0] == 400 and ask("/api/models", {"run": "none"})[0] == 400
code, answer = ask("/api/predict", {"smiles": "CCO"})
assert code == 200 and answer["models"] == ["one"] and answer["molecules"][0]["predictions"]["one"]["value"], answer

# What the command refuses itself is the training's message.
bad = {"table": "values.csv", "name": "bad", "options": {**small, "target-columns": "nothing"}}
assert ask("/api/trainings", bad)[0] == 200
one = wait("bad", "failed", "finished")
assert one["state"] == "failed" and "nothing" in one["message"], one

# Two at a time; stopped they save, and go on afterwards.
long = {"model": "gin", "hidden": 8, "layers": 2, "epochs": 1000000, "early-stop": 0, "checkpoint-seconds": 0}
for name in ("x", "y"):
    assert ask("/api/trainings", {"table": "values.csv", "name": name, "options": long})[0] == 200
assert ask("/api/trainings", {"table": "values.csv", "name": "z", "options": small})[0] == 429
def epoch(name):
    run = next((r for r in ask("/api/runs")[1]["runs"] if r["name"] == name), {})
    return run.get("epoch") or 0
for _ in range(2400):
    if epoch("x") and epoch("y"):
        break
    time.sleep(0.05)
ids = {t["name"]: t["id"] for t in ask("/api/trainings")[1]["trainings"]}
assert ask("/api/trainings/stop", {"id": ids["x"]})[0] == 200 and ask("/api/trainings/stop", {"id": 99})[0] == 400
assert "continue with" in wait("x", "stopped", "failed")["message"]
assert wait("x", "stopped", "failed")["state"] == "stopped"
before = epoch("x")
code, again = ask("/api/trainings", {"resume": "x"})
assert code == 200 and again["command"] == "l2r train --resume --out=trained/x", again
for _ in range(2400):
    if epoch("x") > before:
        break
    time.sleep(0.05)
assert epoch("x") > before
PYTHON
run timeout 250 python3 train.py "$url"
expect_code 0
[[ $code == 0 ]] || cat err
# The server ends with the two that run, and they have saved.
children=$(pgrep -P "$pid")
[[ $(wc -w <<<"$children") == 2 ]] || fail "two trainings should run: $children"
stop_server
for child in $children; do
    kill -0 "$child" 2>/dev/null && fail "training $child still runs"
done
for name in x y; do
    [[ -d trained/$name/state ]] || fail "trained/$name was not saved"
done
finish

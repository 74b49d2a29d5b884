# SPDX-License-Identifier: MIT
# The documents speak of what is there: links lead somewhere, files and functions that are named exist, quoted C stands
# in the example it is taken from, and every command and option is one that the program knows. (docs/performance.md
# names other programs' options.) docs/licences.md names every package that tools/install-deps installs.
source "$(dirname "$0")/expect.bash"

cat >check.py <<'PYTHON'
import pathlib, re, subprocess, sys

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]
sources = [path.read_text(encoding="utf-8") for path in sorted((root / "examples").rglob("*.c"))]
known = set(re.findall(r"--(?:\[no-\])?([a-z][a-z0-9-]*)", (root / "docs/cli.md").read_text(encoding="utf-8")))
for option in re.findall(r'\.name = "([a-z0-9-]+)",\s*\.kind', "\n".join(sources)):
    known.add(option)  # options of the files to copy
known |= {"help", "version", "test-dir", "output-on-failure", "cflags", "libs"}  # ctest, pkg-config
PLACES = r"(?:src|app|include|share|tests|tools|docs|examples|cmake|bench)/[\w./*-]*[\w*]"
code = "\n".join(path.read_text(encoding="utf-8") for place in ("include", "src", "app", "examples", "cmake", "tests")
                 for path in sorted((root / place).rglob("*")) if path.suffix in (".h", ".c", ".cpp", ".cmake"))
symbols = set(re.findall(r"\b(?:l2r|L2R)_\w+", code))
wrong = []


def anchors(page):
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def commands():
    listed = subprocess.run([program, "help"], capture_output=True, text=True, check=True).stdout
    return {" ".join(words.split()) for words in re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", listed, re.M)}


installer = (root / "tools/install-deps").read_text(encoding="utf-8")
packages = re.search(r"^build=.*?^valgrind=\S+$", installer, re.M | re.S)
licences = (root / "docs/licences.md").read_text(encoding="utf-8")
for package in re.sub(r"#.*|\w+=|[()]|\"\S+", " ", packages[0]).split():
    if f"`{package}`" not in licences:
        wrong.append(f"docs/licences.md: the licence of {package}, which tools/install-deps installs, is not there")
names = commands()
for page in pages:
    text, name = page.read_text(encoding="utf-8"), page.relative_to(root)
    for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="([^"]+)"', text):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        place = page.parent / path if path else page
        if not place.exists():
            wrong.append(f"{name}: the link {target} leads nowhere")
        elif anchor and anchor not in anchors(place):
            wrong.append(f"{name}: {target}: there is no such heading")
    for path in re.findall(rf"`({PLACES})`", text):
        if not list(root.glob(path)) and "NAME" not in path:
            wrong.append(f"{name}: {path} does not exist")
    for symbol in re.findall(r"`((?:l2r|L2R)_[a-z_A-Z0-9]+)(?:\(\))?`", text):
        if symbol not in symbols and "NAME" not in symbol:
            wrong.append(f"{name}: {symbol} does not exist")
    for block in re.findall(r"^```c\n(.*?)^```", text, re.M | re.S):
        if not any(block in source for source in sources):
            wrong.append(f"{name}: this C is not in examples/:\n{block}")
    ours = "" if page.name == "performance.md" else re.sub(r"^ *pip .*$", "", text, flags=re.M)
    for option in re.findall(r"(?<![\w-])--(?:no-)?([a-z][a-z0-9-]+)", ours):
        if option not in known and "no-" + option not in known:
            wrong.append(f"{name}: there is no option --{option}")
    for first, second in re.findall(r"(?:build/l2r|^l2r|`l2r|    l2r) ([a-z]+)(?: ([a-z]+))?", text, re.M):
        if first not in names and f"{first} {second}" not in names:
            wrong.append(f"{name}: there is no command l2r {first} {second}")
if not names or len(known) < 40:
    wrong.append("no commands or options were found: this test looks in the wrong place")
print("\n".join(wrong) or f"{len(pages)} pages agree with the sources")
sys.exit(bool(wrong))
PYTHON
run python3 check.py "$source_dir" "$l2r"
expect_code 0
expect_line out '^[0-9]+ pages agree with the sources$'
finish

/* SPDX-License-Identifier: MIT
 * Part 8: the box of molecules: typed, pasted or dropped; a drawing of the line at the cursor; requests and their
 * progress; the link that shows the same again. */

let models = [];
let server = { runs: false, train: false }; /* what it was started with */
let chosenModels = new Set();
let running = null;

const EXAMPLE = "CC(=O)Oc1ccccc1C(=O)O aspirin\nCn1cnc2c1c(=O)n(C)c(=O)n2C caffeine\nCC(C)Cc1ccc(cc1)C(C)C(=O)O ibuprofen\nCC(=O)Nc1ccc(O)cc1 paracetamol";

/* ---- models ---- */

function drawModels() {
  const place = $("models");
  place.querySelectorAll("label").forEach((l) => l.remove());
  for (const model of models.filter((m) => m.molecules)) {
    const label = element(place, "label", { class: "chip" });
    const box = element(label, "input", { type: "checkbox", value: model.name });
    box.checked = chosenModels.has(model.name);
    box.addEventListener("change", () => {
      if (box.checked) chosenModels.add(model.name);
      else chosenModels.delete(model.name);
      if (!chosenModels.size) {
        chosenModels.add(model.name);
        box.checked = true;
      }
    });
    element(label, "span", {}, model.name);
    const what = model.outputs.length === 1 ? nameAndUnit(model.outputs[0], model).name : plural(model.outputs.length, "output");
    element(label, "small", { class: "muted" }, what);
    if (model.problem) element(label, "small", { class: "problem", title: model.problem }, "an older file");
  }
}

async function loadModels() {
  const answer = await ask("/api/models");
  models = answer.models;
  server = answer;
  $("sketch").hidden = !server.sketcher || !["localhost", "127.0.0.1"].includes(location.hostname);
  if (!chosenModels.size) chosenModels = new Set(models.filter((m) => m.molecules).map((m) => m.name));
  for (const name of [...chosenModels]) if (!models.some((m) => m.name === name)) chosenModels.delete(name);
  drawModels();
  $("ask").hidden = models.length > 0 && !models.some((m) => m.molecules);
}

/* ---- what was typed ---- */

function complain(sentence) {
  $("problem").textContent = sentence;
  $("problem").hidden = !sentence;
  $("molecules").setAttribute("aria-invalid", sentence ? "true" : "false");
}

/* Lines are a SMILES and a name, unless they have tabs, commas or semicolons with a head: then they are a table. */
function readBox() {
  const text = $("molecules").value.trim();
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  if (lines.length > 1 && (/\t/.test(lines[0]) || /(^|[,;])\s*"?(smiles|mol|structure|canonical_smiles)"?\s*([,;]|$)/i.test(lines[0])))
    return { table: text + "\n", n: lines.length - 1 };
  return { list: lines.map((line) => {
    const [, smiles, name] = /^(\S+)\s*(.*)$/.exec(line);
    return name ? { smiles, id: name } : { smiles };
  }) };
}

let drawingNumber = 0;

/* The line at the cursor, drawn while it is typed. */
async function drawLine() {
  const box = $("molecules"), place = $("drawing"), number = ++drawingNumber;
  const start = box.value.lastIndexOf("\n", box.selectionStart - 1) + 1;
  const smiles = box.value.slice(start).split(/[\n]/)[0].trim().split(/[\s,;]/)[0];
  if (!smiles) {
    place.replaceChildren();
    complain("");
    return;
  }
  try {
    const answer = await ask("/api/draw", { smiles });
    if (number !== drawingNumber) return;
    place.replaceChildren();
    if (answer.problem) throw new Error(answer.problem);
    drawMolecule(place, answer.svg, `Structural formula of ${smiles}`);
    place.setAttribute("aria-label", `Structural formula of ${smiles}, ${plural(answer.atoms, "heavy atom")}`);
    complain("");
  } catch (error) {
    if (number !== drawingNumber) return;
    place.replaceChildren();
    complain(`${smiles.length > 40 ? smiles.slice(0, 40) + "…" : smiles}: ${error.message}`);
  }
}

let waiting = 0;
$("molecules").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(drawLine, 180);
});
$("molecules").addEventListener("click", drawLine);
$("molecules").addEventListener("keyup", (event) => event.key.startsWith("Arrow") && drawLine());

/* ---- asking ---- */

/* Rows of a stream of lines, as they come. */
async function readLines(reply, onRow) {
  const reader = reply.body.getReader(), decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value: bytes } = await reader.read();
    if (done) break;
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) onRow(JSON.parse(line));
  }
}

async function stream(body, type, total) {
  const rows = [];
  const names = models.filter((m) => chosenModels.has(m.name)).map((m) => m.name);
  running = new AbortController();
  const reply = await fetch(`/api/predict?format=ndjson&models=${encodeURIComponent(names.join(","))}`,
    { method: "POST", headers: { "Content-Type": type }, body, signal: running.signal });
  if (!reply.ok) throw new Error((await reply.json()).error);
  let last = 0;
  await readLines(reply, (row) => {
    if (row.columns) row.name = row.columns.name ?? row.columns.id ?? row.columns.Name ?? row.columns.ID ?? row.columns.mol_id ?? "";
    rows.push(row);
    if (performance.now() - last < 100) return;
    last = performance.now();
    $("progress-bar").value = rows.length;
    $("progress-text").textContent = `${rows.length.toLocaleString("en")} of about ${plural(total, "molecule")}`;
  });
  return rows;
}

function showRows(rows) {
  results.used = models.filter((m) => chosenModels.has(m.name));
  Object.assign(results, { rows, sort: null, down: false, page: 0, filter: "", inside: false });
  boxRows = null;
  if (rows.length > 1) showTable();
  else $("table").hidden = true;
  const first = rows.find((row) => !row.problem);
  const bad = rows.filter((row) => row.problem).length;
  if (first) showDetail(first);
  else $("detail").hidden = true;
  if (rows.length === 1 && bad) complain(rows[0].problem);
  announce(`${plural(rows.length, "molecule")} predicted${bad ? `, ${bad} with a problem` : ""}.`);
}

async function run(body, type, total) {
  complain("");
  $("progress").hidden = total < 200;
  $("progress-bar").max = total;
  $("progress-bar").value = 0;
  $("go").disabled = true;
  try {
    showRows(await stream(body, type, total));
  } catch (error) {
    if (error.name === "AbortError") announce("Stopped.");
    else complain(error.message === "Failed to fetch" || error.message === "network error" ? "the server does not answer; is l2r serve still running?" : error.message);
  }
  $("progress").hidden = true;
  $("go").disabled = false;
}

/* ---- the link that shows the same again ---- */

const MOST_LINKED = 500;
let boxRows = null; /* what the box held when it was predicted; null: a file, or more than a link holds */

/* Molecules and models, the row and output that are shown, what it is compared with, and how the table is arranged. */
function linkNow(rows) {
  const text = rows.map((row) => `${row.smiles} ${nameOf(row)}`.trim()).join("\n");
  const link = new URLSearchParams({ models: models.filter((m) => chosenModels.has(m.name)).map((m) => m.name).join(","), molecules: text });
  const shown = results.rows.indexOf(detail.row), used = results.used.indexOf(detail.model);
  if ($("alerts").checked) link.set("alerts", "1");
  if (rows.length > 1 && shown > 0) link.set("row", shown + 1);
  if (shown >= 0 && (used > 0 || detail.output > 0)) link.set("explain", `${detail.model.name}:${detail.output}`);
  if (detail.whatIf) link.set("what-if", detail.whatIf);
  if (results.sort) link.set("sort", (results.down ? "-" : "") + results.sort);
  if (results.filter) link.set("filter", results.filter);
  if (results.inside) link.set("inside", "1");
  return `#predict?${link}`;
}

function saveLink() {
  if (boxRows && !openingLink) history.replaceState(null, "", linkNow(boxRows));
}

async function predictBox() {
  const { list, table, n } = readBox();
  boxRows = null;
  if (table) return run(table, "text/csv", n);
  if (!list.length) return complain("type a SMILES, or drop a file");
  const done = await run(JSON.stringify({ molecules: list }), "application/json", list.length);
  if (list.length <= MOST_LINKED) boxRows = list;
  saveLink();
  return done;
}

$("go").addEventListener("click", predictBox);
$("cancel").addEventListener("click", () => running && running.abort());
$("molecules").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  predictBox();
});
$("example").addEventListener("click", () => {
  $("molecules").value = EXAMPLE;
  drawLine();
  predictBox();
});

/* ---- files ---- */

const TYPES = { smi: "text/plain", sdf: "chemical/x-mdl-sdfile", tsv: "text/tab-separated-values", tab: "text/tab-separated-values" };

async function openFile(file) {
  const text = await file.text();
  const ending = file.name.split(".").pop().toLowerCase();
  const total = ending === "sdf" ? text.split("$$$$").length - 1 : text.split("\n").filter(Boolean).length - (ending === "smi" ? 0 : 1);
  await run(text, TYPES[ending] || "text/csv", Math.max(total, 1));
}

$("file").addEventListener("change", () => $("file").files.length && openFile($("file").files[0]));
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
document.addEventListener("dragleave", (event) => !event.relatedTarget && document.body.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files.length) openFile(event.dataTransfer.files[0]);
});

/* ---- opening a link ---- */

let openingLink = false;

async function openLink(wanted) {
  const names = (wanted.get("models") || "").split(",").filter((name) => models.some((m) => m.name === name && m.molecules));
  if (names.length) chosenModels = new Set(names);
  $("alerts").checked = wanted.get("alerts") === "1";
  drawModels();
  $("molecules").value = wanted.get("molecules");
  drawLine();
  await predictBox();
  const sort = wanted.get("sort") || "", [name, output] = (wanted.get("explain") || "").split(":");
  const row = results.rows[(Number(wanted.get("row")) || 1) - 1], model = results.used.find((m) => m.name === name);
  Object.assign(results, { sort: sort.replace(/^-/, "") || null, down: sort.startsWith("-"), filter: wanted.get("filter") || "", inside: wanted.get("inside") === "1" });
  if (results.rows.length > 1) showTable();
  if (!row || row.problem) return;
  if (row !== detail.row || model) {
    if (model && model.outputs[Number(output)]) Object.assign(detail, { model, output: Number(output) });
    showDetail(row);
  }
  if (wanted.get("what-if")) await startWhatIf(wanted.get("what-if"));
}

pages.predict.show = async () => {
  const [, query] = location.hash.split("?"), wanted = new URLSearchParams(query || "");
  openGraphs(wanted);
  const text = wanted.get("molecules");
  if (!text || !models.length || text === $("molecules").value || openingLink) return;
  openingLink = true;
  try {
    await openLink(wanted);
  } finally {
    openingLink = false;
  }
  saveLink();
};

$("alerts").addEventListener("change", () => {
  if (detail.row && !$("detail").hidden) showDetail(detail.row);
  saveLink();
});

(async () => {
  try {
    await loadModels();
    if (models.some((m) => m.outputs.some((o) => !o.training))) setTimeout(() => loadModels().catch(() => {}), 3000);
  } catch (error) {
    complain(error.message);
  }
  showPage();
})();

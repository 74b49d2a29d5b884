/* SPDX-License-Identifier: MIT
 * Part 5: the box of molecules: typed, pasted or dropped; a drawing of the line at the cursor; requests and their
 * progress; the link that shows the same again. */

let models = [];
let chosenModels = new Set();
let running = null;

const EXAMPLE = "CC(=O)Oc1ccccc1C(=O)O aspirin\nCn1cnc2c1c(=O)n(C)c(=O)n2C caffeine\nCC(C)Cc1ccc(cc1)C(C)C(=O)O ibuprofen\nCC(=O)Nc1ccc(O)cc1 paracetamol";

/* ---- models ---- */

function drawModels() {
  const place = $("models");
  place.querySelectorAll("label").forEach((l) => l.remove());
  for (const model of models) {
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
  if (!chosenModels.size) chosenModels = new Set(models.map((m) => m.name));
  for (const name of [...chosenModels]) if (!models.some((m) => m.name === name)) chosenModels.delete(name);
  drawModels();
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
  Object.assign(results, { rows, sort: null, page: 0, filter: "", inside: false });
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

function linkTo(rows) {
  const text = rows.slice(0, 50).map((row) => `${row.smiles} ${nameOf(row)}`.trim()).join("\n");
  const names = models.filter((m) => chosenModels.has(m.name)).map((m) => m.name).join(",");
  return `predict?${new URLSearchParams({ models: names, molecules: text })}`;
}

async function predictBox() {
  const { list, table, n } = readBox();
  if (table) return run(table, "text/csv", n);
  if (!list.length) return complain("type a SMILES, or drop a file");
  history.replaceState(null, "", `#${linkTo(list)}`);
  return run(JSON.stringify({ molecules: list }), "application/json", list.length);
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

/* ---- the link ---- */

pages.predict.show = async () => {
  const [, query] = location.hash.split("?");
  if (!query || !models.length) return;
  const wanted = new URLSearchParams(query), text = wanted.get("molecules");
  if (!text || text === $("molecules").value) return;
  const names = (wanted.get("models") || "").split(",").filter((name) => models.some((m) => m.name === name));
  if (names.length) chosenModels = new Set(names);
  drawModels();
  $("molecules").value = text;
  drawLine();
  await predictBox();
};

(async () => {
  try {
    await loadModels();
    if (models.some((m) => m.outputs.some((o) => !o.training))) setTimeout(() => loadModels().catch(() => {}), 3000);
  } catch (error) {
    complain(error.message);
  }
  showPage();
})();

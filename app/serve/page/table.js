/* SPDX-License-Identifier: MIT
 * Part 4: many molecules as a table that sorts and filters. A hundred thousand rows are kept as they came; fifty are in
 * the document at a time. */

const PAGE = 50;
const results = { rows: [], shown: [], sort: null, down: false, page: 0, filter: "", inside: false, used: [] };

/* Columns of numbers: what the head says, and the value of a row. */
function tableColumns() {
  const columns = [];
  for (const model of results.used) {
    const several = results.used.length > 1;
    model.outputs.forEach((output) => {
      const name = nameAndUnit(output, model).name, of = model.outputs.length > 1 && output.class && model.task !== "binary" ? ` ${output.class}` : "";
      columns.push({ title: name + of, of: several ? model.name : "", value: (row) => value(row, model, output.key), key: `${model.name} ${output.key}` });
    });
    if (model.applicability)
      columns.push({ title: "applicability", of: several ? model.name : "", value: (row) => value(row, model, "applicability"), key: `${model.name} applicability`,
        word: (row) => (row.predictions ? applicabilityWord(row.predictions[model.name]) : "") });
  }
  return columns;
}

function value(row, model, key) {
  const answer = row.predictions && row.predictions[model.name];
  const found = answer ? answer[key] : null;
  return found === undefined ? null : found;
}

function isWanted(row) {
  if (results.inside && !results.used.every((m) => row.predictions && applicabilityWord(row.predictions[m.name]) === "inside")) return false;
  if (!results.filter) return true;
  const text = `${nameOf(row)} ${row.smiles || ""} ${row.problem || ""} ${row.columns ? Object.values(row.columns).join(" ") : ""}`;
  return text.toLowerCase().includes(results.filter);
}

function arrange() {
  results.shown = results.rows.filter(isWanted);
  const column = results.sort && tableColumns().find((c) => c.key === results.sort);
  if (column) {
    const sign = results.down ? -1 : 1;
    results.shown = results.shown.map((row) => [column.value(row), row]).sort(([a], [b]) =>
      a === null ? (b === null ? 0 : 1) : b === null ? -1 : sign * (a - b)).map(([, row]) => row);
  }
  results.page = Math.min(results.page, Math.max(0, Math.ceil(results.shown.length / PAGE) - 1));
}

function drawHead(table) {
  const row = element(element(table, "thead", {}), "tr", {});
  element(row, "th", { scope: "col" }, "molecule");
  for (const column of tableColumns()) {
    const on = results.sort === column.key;
    const th = element(row, "th", { scope: "col", class: "n", "aria-sort": on ? (results.down ? "descending" : "ascending") : "none" });
    const button = element(th, "button", { type: "button", class: "sort" }, column.title);
    if (column.of) element(button, "small", {}, column.of);
    button.addEventListener("click", () => {
      results.down = on ? !results.down : true;
      results.sort = column.key;
      results.page = 0;
      drawTable();
      [...$("table").querySelectorAll("th button")].find((b) => b.textContent === button.textContent).focus();
    });
  }
}

function drawRow(body, row, columns) {
  const tr = element(body, "tr", {});
  const first = element(tr, "th", { scope: "row", class: "text" });
  const pick = element(first, "button", { type: "button", class: "pick" }, nameOf(row) || row.smiles || "(empty)");
  if (nameOf(row)) element(first, "small", { class: "smiles" }, row.smiles || "");
  pick.addEventListener("click", () => {
    showDetail(row);
    $("detail").scrollIntoView({ block: "start" });
    $("detail").querySelector("h2").focus({ preventScroll: true });
  });
  if (row.problem) {
    element(tr, "td", { colspan: columns.length, class: "problem" }, row.problem);
    return;
  }
  for (const column of columns) {
    const number = column.value(row);
    const td = element(tr, "td", { class: "n", "data-label": column.title }, number === null ? "–" : column.word ? number.toFixed(2) : show(Number(number.toPrecision(4))));
    if (column.word) element(td, "span", { class: `dot ${column.word(row).replace("at the ", "")}`, title: column.word(row) });
  }
}

function drawPager(place) {
  const pages = Math.ceil(results.shown.length / PAGE);
  if (pages < 2) return;
  const line = element(place, "div", { class: "line pager" });
  const turn = (text, to) => {
    const button = element(line, "button", { type: "button" }, text);
    button.disabled = to < 0 || to >= pages;
    button.addEventListener("click", () => {
      results.page = to;
      drawTable();
      const again = [...$("table").querySelectorAll(".pager button")].find((b) => b.textContent === text);
      (again.disabled ? $("table").querySelector(".pager button:not(:disabled)") : again).focus();
    });
  };
  turn("Previous", results.page - 1);
  element(line, "span", { class: "muted" }, `rows ${(results.page * PAGE + 1).toLocaleString("en")} to ${Math.min(results.shown.length, (results.page + 1) * PAGE).toLocaleString("en")}`);
  turn("Next", results.page + 1);
}

function drawTable() {
  arrange();
  const place = $("table").querySelector(".rows");
  place.replaceChildren();
  $("count").textContent = results.shown.length === results.rows.length ? plural(results.rows.length, "molecule") : `${results.shown.length.toLocaleString("en")} of ${plural(results.rows.length, "molecule")}`;
  const columns = tableColumns();
  const table = element(element(place, "div", { class: "wide" }), "table", { class: "stack" });
  drawHead(table);
  const body = element(table, "tbody", {});
  for (const row of results.shown.slice(results.page * PAGE, (results.page + 1) * PAGE)) drawRow(body, row, columns);
  drawPager(place);
  saveLink();
}

/* ---- CSV out ---- */

const quoted = (field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/* The user's own columns first, then those of each model, then the problem: as l2r predict writes them. */
function toCsv() {
  const own = [...new Set(results.rows.slice(0, 1000).flatMap((row) => (row.columns ? Object.keys(row.columns) : ["id", "smiles"])))];
  const names = results.used.map((model) => {
    const sample = results.rows.find((row) => row.predictions);
    return sample ? Object.keys(sample.predictions[model.name]).filter((key) => key !== "problem") : [];
  });
  const many = results.used.length > 1;
  const head = [...own, ...results.used.flatMap((m, i) => names[i].map((key) => (many ? `${m.name}_${key}` : key))), "problem"];
  const lines = [head.map(quoted).join(",")];
  for (const row of results.rows) {
    const first = own.map((key) => (row.columns ? row.columns[key] : row[key]));
    const rest = results.used.flatMap((m, i) => names[i].map((key) => (row.predictions ? row.predictions[m.name][key] : "")));
    lines.push([...first, ...rest, row.problem || ""].map((field) => quoted(field === null || field === undefined ? "" : String(field))).join(","));
  }
  return lines.join("\n") + "\n";
}

function download() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([toCsv()], { type: "text/csv" }));
  link.download = "predictions.csv";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function showTable() {
  const place = $("table");
  place.hidden = false;
  place.replaceChildren();
  const head = element(place, "div", { class: "head" });
  element(head, "h2", {}, "Predictions");
  element(head, "span", { class: "muted", id: "count" });
  const tools = element(place, "div", { class: "line" });
  const filter = element(tools, "input", { type: "search", placeholder: "Filter by name or SMILES", "aria-label": "Filter by name or SMILES", id: "filter" });
  filter.value = results.filter;
  filter.addEventListener("input", () => {
    results.filter = filter.value.trim().toLowerCase();
    results.page = 0;
    drawTable();
  });
  const label = element(tools, "label", { class: "check" });
  const inside = element(label, "input", { type: "checkbox" });
  inside.checked = results.inside;
  label.append(" inside the models' domain");
  inside.addEventListener("change", () => {
    results.inside = inside.checked;
    drawTable();
  });
  const button = element(tools, "button", { type: "button", id: "download" }, "Download CSV");
  button.addEventListener("click", download);
  element(place, "div", { class: "rows" });
  drawTable();
}

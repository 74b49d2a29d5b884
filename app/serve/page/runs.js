/* SPDX-License-Identifier: MIT
 * Part 5: the runs page. A list that changes as folders do, and those that are chosen side by side: scores with paired
 * intervals, curves that grow, options; of one run the weights that it learned. The same charts as in `l2r report`. */

const runsPage = { runs: [], chosen: new Set(), filter: "", events: null, waiting: 0, number: 0, open: false };

const shortNumber = (value) => (typeof value === "number" ? show(Number(value.toPrecision(4))) : "–");

function progressOf(run) {
  if (run.state === "finished") return `${run.epochs} epochs`;
  return run.epoch === null || run.epoch === undefined ? "no epoch yet" : `epoch ${run.epoch}${run.of ? ` of ${run.of}` : ""}`;
}

function drawRun(body, run) {
  const tr = element(body, "tr", { class: runsPage.chosen.has(run.name) ? "chosen" : "" });
  const first = element(tr, "th", { scope: "row", class: "text" });
  const label = element(first, "label", { class: "check" });
  const box = element(label, "input", { type: "checkbox", value: run.name });
  box.checked = runsPage.chosen.has(run.name);
  box.addEventListener("change", () => {
    if (box.checked) runsPage.chosen.add(run.name);
    else runsPage.chosen.delete(run.name);
    tr.classList.toggle("chosen", box.checked);
    choose();
  });
  element(label, "span", {}, run.name);
  const state = element(tr, "td", { "data-label": "state" });
  element(state, "span", { class: `state ${run.state}` }, run.state);
  element(tr, "td", { "data-label": "epochs" }, progressOf(run));
  element(tr, "td", { "data-label": "model" }, `${run.what || "–"} · ${run.method || "–"}`);
  element(tr, "td", { "data-label": "data" }, run.data ? String(run.data).split("/").pop() : "–");
  element(tr, "td", { class: "n", "data-label": "validation" }, shortNumber(run.valid));
  element(tr, "td", { class: "n", "data-label": "test" }, shortNumber(run.test));
  element(tr, "td", { "data-label": "metric" }, run.metric || "");
}

const MOST_SHOWN = 500;

function drawRuns() {
  const place = $("run-list"), wanted = runsPage.runs.filter((run) => `${run.name} ${run.what} ${run.method} ${run.data} ${run.state}`.toLowerCase().includes(runsPage.filter));
  const focused = document.activeElement && document.activeElement.value;
  place.querySelector("#run-count").textContent = wanted.length === runsPage.runs.length ? plural(wanted.length, "run") : `${wanted.length} of ${plural(runsPage.runs.length, "run")}`;
  const rows = place.querySelector(".rows");
  const scrolled = rows.firstChild ? rows.firstChild.scrollTop : 0;
  rows.replaceChildren();
  if (!wanted.length) {
    element(rows, "p", { class: "muted" }, runsPage.runs.length ? "No run is called so." : "No run yet. They appear here as soon as l2r train writes below this folder.");
    return;
  }
  const table = element(element(rows, "div", { class: "wide tall" }), "table", { class: "stack" });
  const head = element(element(table, "thead", {}), "tr", {});
  for (const [name, kind] of [["run"], ["state"], ["epochs"], ["model"], ["data"], ["validation", "n"], ["test", "n"], ["metric"]]) element(head, "th", { scope: "col", class: kind || "" }, name);
  const body = element(table, "tbody", {});
  for (const run of wanted.slice(0, MOST_SHOWN)) drawRun(body, run);
  if (wanted.length > MOST_SHOWN) element(rows, "p", { class: "muted" }, `${wanted.length - MOST_SHOWN} more; the filter finds them.`);
  rows.firstChild.scrollTop = scrolled;
  const again = focused && rows.querySelector(`input[value="${CSS.escape(focused)}"]`);
  if (again) again.focus({ preventScroll: true });
}

/* ---- side by side ---- */

const meanOf = (part) => (part.sd ? `${part.mean} ± ${part.sd}` : part.mean);

/* "+0.0123 against gcn · erm (95 %: −0.0010 to 0.0256, 4 pairs)" */
function differenceOf(group) {
  const d = group.difference;
  if (!d) return "";
  return `${d.change} against ${d.baseline} (${d.interval ? `95 %: ${d.interval.low} to ${d.interval.high}, ` : ""}${d.pairs})`;
}

function drawSummary(place, data) {
  const table = element(element(place, "div", { class: "wide" }), "table", { class: "stack" });
  const head = element(element(table, "thead", {}), "tr", {});
  const differ = data.groups.some((group) => group.difference);
  for (const [name, kind] of [["group"], ["runs"], ["metric"], ["test", "n"], ["validation", "n"], ["training", "n"], ...(differ ? [["difference in test"]] : [])])
    element(head, "th", { scope: "col", class: kind || "" }, name);
  const body = element(table, "tbody", {});
  data.groups.forEach((group, s) => {
    const tr = element(body, "tr", {}), first = element(tr, "th", { scope: "row", class: "text" });
    element(first, "span", { class: "swatch inline" }).style.background = colourOf(s);
    element(first, "span", {}, ` ${group.name}`);
    element(tr, "td", { "data-label": "runs" }, group.runs_of);
    element(tr, "td", { "data-label": "metric" }, group.metric);
    group.parts.forEach((part, i) => element(tr, "td", { class: part.best ? "n best" : "n", "data-label": ["test", "validation", "training"][i] }, meanOf(part)));
    if (differ) element(tr, "td", { class: "wrap", "data-label": "difference in test" }, differenceOf(group));
  });
}

function drawOptions(place, data) {
  const rows = [data.differing, data.only_some].flatMap((part) => (part ? part.options : []));
  if (!rows.length || data.groups.length < 2) return;
  element(place, "h3", {}, "Options that differ");
  const table = element(element(place, "div", { class: "wide" }), "table", { class: "config" });
  const head = element(element(table, "thead", {}), "tr", {});
  element(head, "th", { scope: "col" }, "option");
  for (const group of data.groups) element(head, "th", { scope: "col" }, group.name);
  const body = element(table, "tbody", {});
  for (const option of rows) {
    const tr = element(body, "tr", {});
    element(tr, "th", { scope: "row" }, option.option);
    for (const value of option.values) element(tr, "td", {}, value);
  }
}

function drawCurves(place, data) {
  const set = data.charts && data.charts.curves;
  if (!set || !set.charts || !set.charts.length) {
    element(place, "p", { class: "muted" }, "No curves yet: two epochs make one.");
    return;
  }
  element(place, "h3", {}, "Curves");
  if (data.curves && data.curves.legend) element(place, "p", { class: "muted" }, `${data.curves.legend}.`);
  addSet(element(place, "div", { class: "charts" }), set);
}

/* The learned weights of a run that has ended: how they are spread, and the graphs at both ends. */
function drawWeights(place, weights) {
  element(place, "h3", {}, "Weights of the training graphs");
  if (!weights.facts) {
    element(place, "p", {}, `All ${weights.equal} training graphs have the same weight.`);
    return;
  }
  const { graphs, lowest, median, highest, effective, set } = weights.facts;
  element(place, "p", {}, `${graphs} graphs: lowest ${lowest}, median ${median}, highest ${highest}; effective sample size ${effective} (1: all equal).`);
  addSet(element(place, "div", { class: "charts" }), weights.charts[set]);
  for (const gallery of weights.galleries || []) {
    element(place, "h3", {}, gallery.title);
    if (gallery.reason) element(place, "p", { class: "muted" }, `The graphs are not drawn: ${gallery.reason}`);
    const figures = element(place, "div", { class: "gallery" });
    for (const one of gallery.drawn) {
      const figure = element(figures, "figure", {});
      if (one.drawing) drawMolecule(figure, one.drawing, `${one.graph}, weight ${one.weight}`);
      else element(figure, "p", { class: "muted" }, one.nodes);
      const text = element(figure, "figcaption", {});
      element(text, "span", { class: "label" }, `weight ${one.weight}`);
      element(text, "span", { class: "muted" }, `${one.graph}, ${one.label}`);
    }
  }
}

/* Of one run alone, where its method learns weights: its model and its data are read for them. */
async function weightsInto(place) {
  const [name] = runsPage.chosen, run = runsPage.runs.find((one) => one.name === name);
  if (runsPage.chosen.size !== 1 || !run || run.state !== "finished") return;
  place.classList.add("waiting");
  try {
    const { weights } = await ask(`/api/runs/weights?run=${encodeURIComponent(name)}`);
    if (weights && place.isConnected) drawWeights(place, weights);
  } catch (error) {
    element(place, "p", { class: "muted" }, `The weights cannot be shown: ${error.message}`);
  }
  place.classList.remove("waiting");
}

async function choose() {
  const place = $("run-compare"), number = ++runsPage.number, names = [...runsPage.chosen];
  history.replaceState(null, "", names.length ? `#runs?${new URLSearchParams({ runs: names.join(",") })}` : "#runs");
  place.hidden = !names.length;
  if (!names.length) return;
  try {
    const data = await ask(`/api/runs/compare?runs=${encodeURIComponent(names.join(","))}`);
    if (number !== runsPage.number) return;
    const hidden = document.activeElement && place.contains(document.activeElement);
    place.replaceChildren();
    const head = element(place, "div", { class: "head" });
    element(head, "h2", { tabindex: "-1" }, names.length === 1 ? names[0] : plural(names.length, "run"));
    const link = element(head, "a", { href: `/report?runs=${encodeURIComponent(names.join(","))}`, target: "_blank", rel: "noopener" }, "Whole report: weights, predictions, all options");
    link.className = "report";
    drawSummary(place, data);
    drawCurves(place, data);
    weightsInto(element(place, "div", { id: "run-weights" }));
    drawOptions(place, data);
    if (hidden) place.querySelector("h2").focus({ preventScroll: true });
  } catch (error) {
    if (number !== runsPage.number) return;
    place.replaceChildren();
    element(place, "p", { class: "problem" }, error.message);
  }
}

/* ---- as it grows ---- */

async function loadRuns() {
  const answer = await ask("/api/runs");
  runsPage.runs = answer.runs;
  for (const name of [...runsPage.chosen]) if (!answer.runs.some((run) => run.name === name) && !answer.runs.some((run) => run.name.startsWith(`${name}/`))) runsPage.chosen.delete(name);
  drawRuns();
}

function onEvent(event) {
  const { changed } = JSON.parse(event.data);
  clearTimeout(runsPage.waiting);
  runsPage.waiting = setTimeout(async () => {
    await loadRuns().catch(() => {});
    if (trainings.list.some((t) => t.state === "running")) loadTrainings().catch(() => {});
    if (changed.some((name) => runsPage.chosen.has(name))) choose();
  }, 50);
}

function startRuns() {
  const place = $("run-list");
  const head = element(place, "div", { class: "head" });
  element(head, "h2", {}, "Runs");
  element(head, "span", { class: "muted", id: "run-count" });
  const tools = element(place, "div", { class: "line" });
  const filter = element(tools, "input", { type: "search", placeholder: "Filter by name, model, data or state", "aria-label": "Filter runs", id: "run-filter" });
  filter.addEventListener("input", () => {
    runsPage.filter = filter.value.trim().toLowerCase();
    drawRuns();
  });
  element(place, "div", { class: "rows" });
  runsPage.events = new EventSource("/api/runs/events");
  runsPage.events.addEventListener("runs", onEvent);
}

pages.runs.show = async () => {
  const wanted = new URLSearchParams(location.hash.split("?")[1] || "").get("runs");
  if (runsPage.open) return;
  runsPage.open = true;
  if (!server.runs) {
    element($("run-list"), "p", { class: "muted" }, "This server shows no runs: start it with --runs and a folder of them.");
    return;
  }
  startRuns();
  if (wanted) runsPage.chosen = new Set(wanted.split(","));
  await loadRuns();
  if (server.train) await startTrainings();
  if (runsPage.chosen.size) await choose();
};

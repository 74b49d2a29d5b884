/* SPDX-License-Identifier: MIT
 * Part 3: charts that answer to pointer and keys, and sets of them with one legend. */

/* Shows stop number `at` of a chart, or none. */
function showStop(chart, at) {
  const cursor = chart.svg.querySelector(".cursor");
  chart.at = at;
  chart.tip.hidden = at < 0;
  if (!cursor) return;
  cursor.setAttribute("visibility", at < 0 ? "hidden" : "visible");
  cursor.querySelectorAll("circle").forEach((dot) => dot.remove());
  if (at < 0) return;
  const stop = chart.stops[at], line = cursor.querySelector("line");
  line.setAttribute("x1", stop.px);
  line.setAttribute("x2", stop.px);
  chart.tip.replaceChildren();
  element(chart.tip, "b", {}, stop.title);
  for (const row of stop.rows) {
    if (chart.data.kind !== "bars") element(cursor, "circle", { cx: stop.px, cy: row.py, r: 4, fill: colourOf(row.s) });
    const item = element(chart.tip, "div");
    element(item, "span", { class: "swatch" }).style.background = colourOf(row.s);
    element(item, "span", {}, `${chart.set.series[row.s]}: ${row.text}`);
  }
  placeTip(chart, stop.px);
}

/* On the side of the cursor that has more room, inside the chart. */
function placeTip(chart, px) {
  const scale = chart.svg.clientWidth / chart.svg.viewBox.baseVal.width;
  const room = chart.box.clientWidth, x = px * scale, width = chart.tip.offsetWidth;
  const left = x + 12 + width > room ? x - 12 - width : x + 12;
  chart.tip.style.left = `${Math.max(0, Math.min(left, room - width))}px`;
}

function nearestStop(chart, event) {
  const box = chart.svg.getBoundingClientRect(), scale = chart.svg.viewBox.baseVal.width / box.width;
  const px = (event.clientX - box.left) * scale, py = (event.clientY - box.top) * scale;
  const flat = chart.data.kind !== "points" && !chart.data.free;
  let best = -1, least = Infinity;
  chart.stops.forEach((stop, i) => {
    const distance = Math.abs(stop.px - px) + (flat ? 0 : Math.abs(stop.rows[0].py - py));
    if (distance < least) [best, least] = [i, distance];
  });
  return best;
}

function moveByKey(chart, event) {
  const last = chart.stops.length - 1, step = event.shiftKey ? 10 : 1;
  const to = { ArrowRight: chart.at + step, ArrowLeft: chart.at < 0 ? last : chart.at - step, Home: 0, End: last, Escape: -1 }[event.key];
  if (to === undefined || last < 0) return;
  event.preventDefault();
  showStop(chart, to < 0 && event.key !== "Escape" ? 0 : Math.min(to, last));
}

function redraw(chart) {
  const at = chart.at;
  chart.stops = drawChart(chart.svg, chart.set, chart.data, chart.log);
  showStop(chart, at < chart.stops.length ? at : -1);
}

function addLogSwitch(chart, title) {
  if (!chart.data.log || chart.data.lines.some((line) => line.y.some((y) => y !== null && y <= 0))) return;
  const button = element(title, "button", { type: "button", class: "small", "aria-pressed": "false" }, "log");
  button.title = "logarithmic axis";
  button.addEventListener("click", () => {
    chart.log = !chart.log;
    button.setAttribute("aria-pressed", String(chart.log));
    redraw(chart);
  });
}

function addChart(parent, set, data) {
  const figure = element(parent, "figure", { class: data.square ? "chart square" : "chart" });
  const title = element(figure, "figcaption");
  element(title, "span", {}, data.title);
  const box = element(figure, "div", { class: "plot" });
  const label = `${data.title}. Arrow keys move the cursor.`;
  const svg = element(box, "svg", { tabindex: "0", role: "img", "aria-label": label });
  const tip = element(box, "div", { class: "tip", role: "status" });
  const chart = { set, data, box, svg, tip, log: false, at: -1, stops: [] };
  if (data.kind === "lines") addLogSwitch(chart, title);
  svg.addEventListener("pointermove", (event) => showStop(chart, nearestStop(chart, event)));
  svg.addEventListener("pointerdown", (event) => showStop(chart, nearestStop(chart, event)));
  svg.addEventListener("pointerleave", () => showStop(chart, -1));
  svg.addEventListener("blur", () => showStop(chart, -1));
  svg.addEventListener("keydown", (event) => moveByKey(chart, event));
  redraw(chart);
  return chart;
}

function addLegend(place, set, charts) {
  if (set.series.length < 2) return;
  const legend = element(place, "div", { class: "legend", role: "group", "aria-label": "Series: press to hide or show" });
  set.series.forEach((name, s) => {
    const button = element(legend, "button", { type: "button", "aria-pressed": "true" });
    const swatch = element(button, "svg", { class: "sample", viewBox: "0 0 26 10", "aria-hidden": "true" });
    if (set.solid) element(swatch, "rect", { x: 8, y: 0, width: 10, height: 10, fill: colourOf(s) });
    else element(swatch, "path", { d: "M0 5H26", class: "bold", stroke: colourOf(s), "stroke-dasharray": dashOf(s) });
    element(button, "span", {}, name);
    button.addEventListener("click", () => {
      if (!set.hidden.delete(s)) set.hidden.add(s);
      button.setAttribute("aria-pressed", String(!set.hidden.has(s)));
      charts.forEach(redraw);
    });
  });
}

/* Several tasks or classes: a chooser, and the charts of the one that is chosen. Other things of the same section follow: matrices
 * (data-choice) are hidden but for those of the task, names in its table of tasks (data-pick) can be pressed. */
function addChooser(place, set) {
  const id = `${place.dataset.set}-choice`, section = place.closest("section");
  const line = element(place, "p", { class: "chooser" });
  element(line, "label", { for: id }, set.what === "class" ? "Class (against the rest)" : "Task");
  const select = element(line, "select", { id });
  set.choices.forEach((choice, k) => element(select, "option", { value: k }, choice.name));
  const body = element(place, "div");
  const matrices = [...section.querySelectorAll("[data-choice]")];
  if (matrices.length > 0) matrices[0].before(line);
  const choose = (k) => {
    select.value = k;
    matrices.forEach((one) => { one.hidden = one.dataset.choice !== String(k); });
    body.replaceChildren();
    addSet(body, { ...set.choices[k], names: set.names });
  };
  select.addEventListener("change", () => choose(Number(select.value)));
  section.querySelectorAll("[data-pick]").forEach((cell) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "pick";
    button.textContent = cell.textContent;
    button.addEventListener("click", () => {
      choose(Number(cell.dataset.pick));
      line.scrollIntoView({ block: "start" });
    });
    cell.replaceChildren(button);
  });
  choose(0);
}

function addSet(place, set) {
  if (set.choices) return addChooser(place, set);
  const charts = [];
  set.hidden = new Set();
  addLegend(place, set, charts);
  const grid = element(place, "div", { class: "grid" });
  for (const data of set.charts) charts.push(addChart(grid, set, data));
  charts.forEach(redraw); /* a chart is as wide as its column, which the charts after it have made narrower */
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth === width) return;
    width = place.clientWidth;
    charts.forEach(redraw);
  }).observe(place);
  return undefined;
}

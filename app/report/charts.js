/* SPDX-License-Identifier: MIT
 * Part 2: one chart in one <figure>. A chart is data (app/report/page_charts.h):
 *
 *   {kind: "lines",  lines: [{s, x: [..], y: [..], mark}]}     several lines of one series are seeds: thin, with their mean
 *   {kind: "points", lines: [{s, x, y, g: [..]}]}              a cloud; g: graphs, which the names of the set are for
 *   {kind: "bars",   edges: [..], stacks: [{s, n: [..]}], rule}  a histogram, series stacked
 *
 * Every kind makes "stops", places where the cursor can rest: the pointer goes to the nearest, arrow keys go along. */

const MARGIN = { left: 58, right: 12, top: 10, bottom: 40 };
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

const isVisible = (set, line) => !set.hidden.has(line.s);
const colourOf = (s) => `var(--s${s % 8})`;
const dashOf = (s) => DASHES[(s + Math.floor(s / 8)) % 4]; /* 32 series before a pair repeats */

/* The mean of lines at every x that all of them have. */
function meanLine(lines) {
  const at = new Map();
  for (const line of lines)
    line.x.forEach((x, i) => {
      if (line.y[i] !== null) at.set(x, (at.get(x) || []).concat(line.y[i]));
    });
  const whole = [...at].filter(([, values]) => values.length === lines.length).sort((a, b) => a[0] - b[0]);
  const means = whole.map(([, values]) => values.reduce((a, b) => a + b) / values.length);
  const spread = whole.map(([, values], i) => Math.sqrt(values.reduce((a, v) => a + (v - means[i]) ** 2, 0) / (values.length - 1)));
  return { s: lines[0].s, x: whole.map(([x]) => x), y: means, sd: spread, seeds: lines.length };
}

/* What is drawn bold: each series' only line, or the mean of its lines. */
function boldLines(set, chart) {
  const bySeries = new Map();
  for (const line of chart.lines.filter((l) => isVisible(set, l))) bySeries.set(line.s, (bySeries.get(line.s) || []).concat(line));
  return [...bySeries.values()].map((lines) => (lines.length === 1 ? lines[0] : meanLine(lines)));
}

function pathOf(line, x, y) {
  let text = "", pen = "M";
  line.x.forEach((value, i) => {
    if (line.y[i] === null || (y.log && line.y[i] <= 0)) pen = "M";
    else {
      text += `${pen}${x.at(value).toFixed(1)} ${y.at(line.y[i]).toFixed(1)}`;
      pen = "L";
    }
  });
  return text;
}

function drawLines(svg, set, chart, x, y) {
  const bold = boldLines(set, chart);
  for (const line of chart.lines)
    if (isVisible(set, line) && !bold.includes(line))
      element(svg, "path", { d: pathOf(line, x, y), class: "thin", stroke: colourOf(line.s) });
  for (const line of bold) {
    element(svg, "path", { d: pathOf(line, x, y), class: "bold", stroke: colourOf(line.s), "stroke-dasharray": dashOf(line.s) });
    if (line.y.filter((value) => value !== null).length === 1) {
      const only = line.y.findIndex((value) => value !== null);
      element(svg, "circle", { cx: x.at(line.x[only]), cy: y.at(line.y[only]), r: 3, fill: colourOf(line.s) });
    }
    const mark = line.mark === undefined ? -1 : line.x.indexOf(line.mark);
    if (mark >= 0 && line.y[mark] !== null)
      element(svg, "circle", { cx: x.at(line.mark), cy: y.at(line.y[mark]), r: 4, class: "best", stroke: colourOf(line.s) });
  }
  const stops = new Map();
  for (const line of bold)
    line.x.forEach((value, i) => {
      if (line.y[i] === null) return;
      const key = chart.free ? `${line.s} ${i}` : value;
      const stop = stops.get(key) || { px: x.at(value), title: `${chart.x} ${show(value)}`, rows: [] };
      if (chart.dots) element(svg, "circle", { cx: x.at(value), cy: y.at(line.y[i]), r: 3, fill: colourOf(line.s) });
      const of = line.n ? ` of ${line.n[i]} graph${line.n[i] === 1 ? "" : "s"}` : "";
      const sd = line.sd ? ` \u00b1 ${show(Number(line.sd[i].toPrecision(2)))}` : "";
      stop.rows.push({ s: line.s, py: y.at(line.y[i]), text: show(line.y[i]) + sd + of });
      stops.set(key, stop);
    });
  return [...stops.values()].sort((a, b) => a.px - b.px);
}

function drawPoints(svg, set, chart, x, y) {
  const stops = [];
  for (const line of chart.lines.filter((l) => isVisible(set, l)))
    line.x.forEach((value, i) => {
      const px = x.at(value), py = y.at(line.y[i]);
      element(svg, "circle", { cx: px.toFixed(1), cy: py.toFixed(1), r: 2.6, class: "point", fill: colourOf(line.s) });
      const text = `${chart.x} ${show(value)}, ${chart.y} ${show(line.y[i])}`;
      stops.push({ px, title: line.g ? set.names[line.g[i]] || "" : "", rows: [{ s: line.s, py, text }] });
    });
  return stops.sort((a, b) => a.px - b.px);
}

function drawBars(svg, set, chart, x, y) {
  const shown = chart.stacks.filter((stack) => isVisible(set, stack));
  const stops = [];
  for (let bin = 0; bin + 1 < chart.edges.length; bin++) {
    const left = x.at(chart.edges[bin]), right = x.at(chart.edges[bin + 1]);
    const stop = { px: (left + right) / 2, rows: [], title: `${chart.x} ${show(chart.edges[bin])} to ${show(chart.edges[bin + 1])}` };
    let sum = 0;
    for (const stack of shown) {
      const bottom = y.at(sum), top = y.at((sum += stack.n[bin]));
      const box = { x: left + 0.5, y: top, width: Math.max(right - left - 1, 0.5), height: Math.max(bottom - top, 0) };
      if (stack.n[bin]) element(svg, "rect", { ...box, class: "bar", fill: colourOf(stack.s) });
      stop.rows.push({ s: stack.s, py: top, text: `${stack.n[bin]} graphs` });
    }
    stops.push(stop);
  }
  if (chart.rule > x.low && chart.rule < x.high)
    element(svg, "line", { x1: x.at(chart.rule), x2: x.at(chart.rule), y1: y.at(y.low), y2: y.at(y.high), class: "rule" });
  return stops;
}

function rangesOf(set, chart, log) {
  if (chart.kind === "bars") {
    const totals = chart.edges.slice(1).map((_, bin) => chart.stacks.reduce((a, k) => a + (isVisible(set, k) ? k.n[bin] : 0), 0));
    return { x: [chart.edges[0], chart.edges[chart.edges.length - 1]], y: [0, Math.max(1, ...totals) * 1.05] };
  }
  const lines = chart.lines.filter((line) => isVisible(set, line));
  if (chart.unit) return { x: [0, 1], y: [0, 1] };
  const x = rangeOf(lines.flatMap((line) => line.x)), y = rangeOf(lines.flatMap((line) => line.y), log);
  if (!x || !y) return null;
  if (chart.kind === "lines") return { x: [Math.min(...lines.map((l) => l.x[0])), Math.max(...lines.map((l) => l.x[l.x.length - 1]))], y };
  const both = [Math.min(x[0], y[0]), Math.max(x[1], y[1])];
  return { x: both, y: both };
}

function drawAxes(svg, chart, x, y, width, height) {
  const bottom = height - MARGIN.bottom;
  for (const tick of y.ticks(height > 240 ? 6 : 4, chart.kind === "bars")) {
    element(svg, "line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: y.at(tick), y2: y.at(tick), class: "grid" });
    element(svg, "text", { x: MARGIN.left - 6, y: y.at(tick) + 4, class: "tick", "text-anchor": "end" }, show(tick));
  }
  for (const tick of x.ticks(width > 400 ? 8 : 5, chart.x === "epoch")) {
    element(svg, "line", { x1: x.at(tick), x2: x.at(tick), y1: bottom, y2: bottom + 4, class: "axis" });
    element(svg, "text", { x: x.at(tick), y: bottom + 17, class: "tick", "text-anchor": "middle" }, show(tick));
  }
  element(svg, "line", { x1: MARGIN.left, x2: width - MARGIN.right, y1: bottom, y2: bottom, class: "axis" });
  element(svg, "text", { x: (MARGIN.left + width - MARGIN.right) / 2, y: height - 6, class: "name", "text-anchor": "middle" }, chart.x);
  if (chart.y) element(svg, "text", { transform: `translate(12 ${(MARGIN.top + bottom) / 2}) rotate(-90)`, class: "name", "text-anchor": "middle" }, chart.y);
  if (chart.diagonal) {
    const low = Math.max(x.low, y.low), high = Math.min(x.high, y.high);
    element(svg, "line", { x1: x.at(low), y1: y.at(low), x2: x.at(high), y2: y.at(high), class: "rule" });
  }
}

/* Draws the chart anew for the width that there is; returns its stops. */
function drawChart(svg, set, chart, log) {
  const width = Math.max(svg.parentNode.clientWidth, 240);
  const height = chart.square ? Math.min(width, 400) : Math.min(Math.max(width * 0.62, 190), 300);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const ranges = rangesOf(set, chart, log);
  if (!ranges) {
    element(svg, "text", { x: width / 2, y: height / 2, class: "name", "text-anchor": "middle" }, "nothing to show");
    return [];
  }
  if (ranges.x[0] === ranges.x[1]) ranges.x = [ranges.x[0] - 0.5, ranges.x[1] + 0.5];
  const x = makeScale(ranges.x[0], ranges.x[1], MARGIN.left, width - MARGIN.right, false);
  const y = makeScale(ranges.y[0], ranges.y[1], height - MARGIN.bottom, MARGIN.top, log);
  drawAxes(svg, chart, x, y, width, height);
  const draw = { lines: drawLines, points: drawPoints, bars: drawBars }[chart.kind];
  const stops = draw(svg, set, chart, x, y);
  const cursor = element(svg, "g", { class: "cursor", visibility: "hidden" });
  element(cursor, "line", { y1: MARGIN.top, y2: height - MARGIN.bottom });
  return stops;
}

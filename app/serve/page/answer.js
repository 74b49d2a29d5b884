/* SPDX-License-Identifier: MIT
 * Part 2: what one model says of one molecule, as a card: the number, where it lies among the training molecules, how
 * sure it is, and how far out the molecule lies. */

/* "logS (mol/L)" -> {name: "logS", unit: "mol/L"}: units are what the table's column says in brackets. */
function nameAndUnit(output, model) {
  const name = output.task || model.name;
  const found = /^(.*?)\s*[([]([^)\]]+)[)\]]\s*$/.exec(name);
  return found ? { name: found[1], unit: found[2] } : { name, unit: "" };
}

/* The share of training molecules that lie below. */
function percentile(quantiles, value) {
  if (value <= quantiles[0]) return 0;
  const above = quantiles.findIndex((q) => q >= value);
  if (above < 0) return 100;
  const low = quantiles[above - 1], high = quantiles[above];
  return Math.round(((above - 1 + (high > low ? (value - low) / (high - low) : 0)) * 100) / (quantiles.length - 1));
}

const ordinal = (n) => `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] || "th"}`;

/* In a word: inside where a fifth or more of the validation molecules lay as far out. */
function applicabilityWord(answer) {
  if (answer.unseen) return "outside";
  if (answer.applicability === null || answer.applicability === undefined) return "";
  return answer.applicability >= 0.2 ? "inside" : answer.applicability >= 0.05 ? "at the edge" : "outside";
}

function drawHistogram(parent, training, answer, key) {
  const { low, high, counts } = training.histogram;
  const width = 240, height = 56, most = Math.max(...counts), step = width / counts.length;
  const at = (value) => Math.min(width, Math.max(0, ((value - low) / (high - low || 1)) * width));
  const value = answer[key];
  const svg = element(parent, "svg", { viewBox: `0 0 ${width} ${height + 14}`, class: "histogram", role: "img",
    "aria-label": `Histogram of ${plural(training.molecules, "training value")} from ${show(low)} to ${show(high)}, with a mark at ${show(value)}` });
  if (answer[`${key}_low`] !== undefined && answer[`${key}_low`] !== null) {
    const from = at(answer[`${key}_low`]), to = at(answer[`${key}_high`]);
    element(svg, "rect", { x: from, y: 0, width: Math.max(to - from, 1), height, class: "band" });
  }
  counts.forEach((n, i) => n && element(svg, "rect", { x: i * step + 0.5, y: height - (n / most) * (height - 6), width: step - 1,
    height: (n / most) * (height - 6), class: "bin" }));
  element(svg, "line", { x1: 0, x2: width, y1: height, y2: height, class: "axis" });
  element(svg, "line", { x1: at(value), x2: at(value), y1: 0, y2: height, class: "mark" });
  element(svg, "circle", { cx: at(value), cy: 4, r: 4, class: "mark" });
  element(svg, "text", { x: 0, y: height + 12, class: "tick" }, show(low));
  element(svg, "text", { x: width, y: height + 12, class: "tick", "text-anchor": "end" }, show(high));
}

/* A probability between 0 and 1, with the share of the training molecules that are positive. */
function drawProbability(parent, p, positive) {
  const width = 240;
  const svg = element(parent, "svg", { viewBox: `0 0 ${width} 26`, class: "probability", role: "img", "aria-label": `Probability ${show(p)}` });
  element(svg, "rect", { x: 0, y: 8, width, height: 10, rx: 5, class: "rail" });
  element(svg, "rect", { x: 0, y: 8, width: Math.max(p * width, 4), height: 10, rx: 5, class: "filled" });
  if (positive !== undefined) {
    const line = element(svg, "line", { x1: positive * width, x2: positive * width, y1: 3, y2: 23, class: "share" });
    element(line, "title", {}, `${show(positive * 100)} % of the training molecules are positive`);
  }
}

function putApplicability(card, answer) {
  const word = applicabilityWord(answer);
  if (!word) return;
  const line = element(card, "p", { class: `domain ${word === "inside" ? "in" : word === "outside" ? "out" : "edge"}` });
  element(line, "span", { class: "word" }, word);
  const number = answer.unseen ? `no training molecule has ${answer.unseen}` : `applicability ${answer.applicability.toFixed(2)}, distance ${show(answer.distance)}`;
  element(line, "span", {}, ` ${number}`);
}

function putSpread(card, answer, key) {
  const sd = answer[`${key}_sd`];
  if (sd !== undefined && sd !== null) element(card, "span", { class: "sd" }, ` ± ${show(sd)}`);
}

/* The card of output number k of a model. others: the same answer for another molecule, whose difference is shown. */
function answerCard(parent, model, k, answer, other) {
  const output = model.outputs[k], { name, unit } = nameAndUnit(output, model), key = output.key, value = answer[key];
  const card = element(parent, "div", { class: "card" });
  const what = element(card, "p", { class: "what" });
  element(what, "strong", {}, output.class && model.task !== "binary" ? `${name}: ${output.class}` : name);
  element(what, "span", { class: "muted" }, ` ${model.name}`);
  if (value === null || value === undefined) {
    element(card, "p", { class: "problem" }, answer.problem || "no prediction");
    return card;
  }
  const line = element(card, "p", { class: "value" });
  const binary = model.task === "binary";
  element(line, "span", { class: "number" }, binary ? value.toFixed(3) : show(Number(value.toPrecision(4))));
  if (unit) element(line, "span", { class: "unit" }, ` ${unit}`);
  putSpread(line, answer, key);
  if (other && other[key] !== null && other[key] !== undefined) {
    const change = value - other[key];
    element(line, "span", { class: `change ${change >= 0 ? "up" : "down"}` }, ` ${change >= 0 ? "+" : "−"}${show(Math.abs(Number(change.toPrecision(3))))}`);
  }
  if (binary) element(card, "p", { class: "more" }, `probability of ${output.class || "class 1"}${output.other ? ` rather than ${output.other}` : ""}`);
  if (answer[`${key}_low`] !== undefined && answer[`${key}_low`] !== null) {
    const share = model.coverage ? `${Math.round(model.coverage * 100)} % interval` : "interval";
    element(card, "p", { class: "more" }, `${share} ${show(Number(answer[`${key}_low`].toPrecision(3)))} to ${show(Number(answer[`${key}_high`].toPrecision(3)))}`);
  }
  const training = output.training;
  if (training && training.histogram) {
    drawHistogram(card, training, answer, key);
    element(card, "p", { class: "more" }, `${ordinal(percentile(training.quantiles, value))} percentile of ${plural(training.molecules, "training molecule")}`);
  } else if (model.task !== "regression") {
    drawProbability(card, value, training ? training.positive : undefined);
    if (training && training.positive !== undefined)
      element(card, "p", { class: "more" }, `${show(Number((training.positive * 100).toPrecision(3)))} % of ${plural(training.molecules, "training molecule")} are positive`);
  }
  putApplicability(card, answer);
  return card;
}

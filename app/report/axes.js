/* SPDX-License-Identifier: MIT
 * Scripts of the report page, part 1: elements, numbers, scales. Nothing here knows of runs. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function element(parent, name, attributes, text) {
  const made = parent.namespaceURI === SVG || name === "svg" ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const key in attributes || {}) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

/* Four significant digits, whole numbers as they are, a true minus sign. */
function show(value) {
  if (value === null || !isFinite(value)) return "\u2013";
  if (Number.isInteger(value)) return String(value).replace("-", "\u2212");
  const size = Math.abs(value);
  const text = size >= 1e5 || size < 1e-4 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "\u2212");
}

/* The step 1, 2 or 5 times a power of ten that gives about `count` ticks. */
function niceStep(span, count) {
  const power = Math.pow(10, Math.floor(Math.log10(span / count)));
  for (const factor of [1, 2, 5]) if (factor * power * count >= span * 0.999) return factor * power;
  return 10 * power;
}

/* whole: no ticks between whole numbers. */
function plainTicks(low, high, count, whole) {
  const step = Math.max(niceStep(high - low, count), whole ? 1 : 0);
  const made = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) made.push(Number((k * step).toPrecision(12)));
  return made;
}

/* Powers of ten; with 2 and 5 between where there are few of them. */
function logTicks(low, high) {
  const made = [];
  const few = Math.log10(high / low) < 2;
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of few ? [1, 2, 5] : [1]) {
      const tick = Number((factor * Math.pow(10, power)).toPrecision(6));
      if (tick >= low * 0.999 && tick <= high * 1.001) made.push(tick);
    }
  return made.length > 1 ? made : [low, high];
}

/* From values to pixels: at(low) = from, at(high) = to. */
function makeScale(low, high, from, to, log) {
  const map = log ? Math.log10 : (value) => value;
  const span = map(high) - map(low);
  return {
    low, high, log,
    at: (value) => from + ((map(value) - map(low)) / span) * (to - from),
    ticks: (count, whole) => (log ? logTicks(low, high) : plainTicks(low, high, count, whole)),
  };
}

/* The range of some values with a little air; a single value gets air, too. */
function rangeOf(values, log) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value === null || !isFinite(value) || (log && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return null;
  if (log) return low === high ? [low / 2, high * 2] : [low, high];
  const air = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.04;
  return [low - air, high + air];
}

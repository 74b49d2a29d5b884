/* SPDX-License-Identifier: MIT
 * The page of l2r serve, part 1: what all of it shares. Elements and numbers come from app/report/axes.js, charts from
 * charts.js. Whatever comes from molecules, files and models becomes text or a shape of a known kind, never markup. */
"use strict";

const $ = (id) => document.getElementById(id);
const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;

function announce(text) {
  $("status").textContent = text;
}

/* An answer of the server, or an Error with its sentence. */
async function ask(path, body, signal) {
  const options = body === undefined ? { signal } : { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let reply;
  try {
    reply = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer; is l2r serve still running?");
  }
  const answer = await reply.json().catch(() => ({ error: `the server answered ${reply.status}` }));
  if (!reply.ok) throw new Error(answer.error || `the server answered ${reply.status}`);
  return answer;
}

/* ---- drawings ---- */

const SHAPES = new Set(["path", "ellipse", "line", "polygon", "polyline", "circle", "g", "rect", "text"]);
const STYLES = new Set(["d", "cx", "cy", "rx", "ry", "r", "x1", "x2", "y1", "y2", "points", "transform", "fill", "fill-rule", "fill-opacity",
  "stroke", "stroke-width", "stroke-linecap", "stroke-linejoin", "stroke-opacity", "stroke-dasharray", "opacity", "class", "x", "y", "width",
  "height", "font-size", "font-weight", "text-anchor"]);

function copyShapes(to, from) {
  for (const shape of from.children) {
    if (!SHAPES.has(shape.localName)) continue;
    const made = element(to, shape.localName, {}, shape.localName === "text" ? shape.textContent : undefined);
    for (const { name, value } of shape.attributes) if (STYLES.has(name)) made.setAttribute(name, value);
    copyShapes(made, shape);
  }
}

/* A structural formula from the server, shape by shape, into `parent`; hints: what is said of each atom. */
function drawMolecule(parent, svg, label, hints) {
  const read = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const made = element(parent, "svg", { viewBox: read.getAttribute("viewBox") || "0 0 1 1", class: "molecule", role: "img", "aria-label": label });
  copyShapes(made, read);
  (hints || []).forEach((hint, atom) => {
    for (const shape of made.querySelectorAll(`ellipse.atom-${atom}`)) element(shape, "title", {}, hint);
  });
  return made;
}

/* ---- colours and pages ---- */

const THEMES = ["auto", "light", "dark"];

function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $("theme").textContent = theme;
  $("theme").setAttribute("aria-label", `Colours: ${theme === "auto" ? "as the system" : theme}`);
  try {
    localStorage.setItem("l2r-theme", theme);
  } catch { /* private windows keep nothing */ }
}

let theme = "auto";
try {
  theme = localStorage.getItem("l2r-theme") || "auto";
} catch { /* as above */ }
setTheme(THEMES.includes(theme) ? theme : "auto");
$("theme").addEventListener("click", () => setTheme(THEMES[(THEMES.indexOf($("theme").textContent) + 1) % 3]));

const pages = { predict: {}, runs: {} };

function showPage() {
  const name = location.hash.startsWith("#runs") ? "runs" : "predict";
  for (const other of Object.keys(pages)) {
    $(other).hidden = other !== name;
    const link = $(`to-${other}`);
    if (other === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = name === "runs" ? "l2r: runs" : "l2r: predict";
  if (pages[name].show) pages[name].show();
}

window.addEventListener("hashchange", showPage);

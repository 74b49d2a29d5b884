/* SPDX-License-Identifier: MIT
 * Part 9: the sketcher, where the server has one (--sketcher). It lives in a frame of another origin, this machine by
 * its other name, so that it reaches nothing of this page; what it draws becomes the SMILES of the line at the cursor. */

const sketch = { frame: null };
const OTHER_NAME = { localhost: "127.0.0.1", "127.0.0.1": "localhost" }[location.hostname];

/* Where the SMILES at the cursor stands in the box. */
function smilesAtCursor() {
  const box = $("molecules"), start = box.value.lastIndexOf("\n", box.selectionStart - 1) + 1;
  const smiles = /^\S*/.exec(box.value.slice(start))[0];
  return { start, end: start + smiles.length, smiles };
}

function tellSketcher() {
  if (sketch.frame) sketch.frame.contentWindow.postMessage({ smiles: smilesAtCursor().smiles }, "*");
}

function onSketch(event) {
  if (!sketch.frame || event.source !== sketch.frame.contentWindow) return;
  if (event.data.ready === true) tellSketcher();
  if (typeof event.data.smiles !== "string" || /\s/.test(event.data.smiles) || event.data.smiles.length > 4000) return;
  const { start, end } = smilesAtCursor();
  $("molecules").setRangeText(event.data.smiles, start, end, "start");
  drawLine();
}

function toggleSketcher() {
  const place = $("sketcher"), button = $("sketch");
  button.setAttribute("aria-expanded", String(place.hidden));
  place.hidden = !place.hidden;
  place.replaceChildren();
  sketch.frame = place.hidden ? null : element(place, "iframe", { sandbox: "allow-scripts allow-same-origin",
    src: `http://${OTHER_NAME}:${location.port}/sketcher/`, title: "Sketcher: draw a molecule" });
}

window.addEventListener("message", onSketch);
$("sketch").addEventListener("click", toggleSketcher);
$("molecules").addEventListener("change", tellSketcher);

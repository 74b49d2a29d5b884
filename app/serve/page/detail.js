/* SPDX-License-Identifier: MIT
 * Part 3: one molecule closely. Cards of all models, the drawing shaded by what the chosen output rests on, the nearest
 * training molecules, and the same for a changed molecule beside it ("what if"). */

const detail = { row: null, model: null, output: 0, number: 0, whatIf: "" };

const signed = (value) => `${value >= 0 ? "+" : "−"}${show(Math.abs(Number(value.toPrecision(2))))}`;

function putLegend(parent, answer) {
  const c = answer.contributions;
  if (!c) {
    element(parent, "p", { class: "muted" }, `No contributions of atoms: ${answer.no_contributions || "the model has none"}.`);
    return;
  }
  const legend = element(parent, "p", { class: "legend" });
  for (const [kind, word] of [["raise", "raises"], ["lower", "lowers"]]) {
    const key = element(legend, "span", { class: "key" });
    element(key, "span", { class: `swatch ${kind}` });
    element(key, "span", {}, `${word} the ${c.unit}`);
  }
  element(legend, "span", {}, "by what the prediction loses without the atom.");
  if (c.explained < c.members) element(legend, "span", {}, ` ${c.explained} of ${c.members} members read atoms.`);
  const strongest = c.atoms.map((value, atom) => ({ value, atom })).sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 3);
  element(parent, "p", { class: "muted strongest" }, `Strongest: ${strongest.map((s) => `atom ${s.atom + 1} ${signed(s.value)}`).join(", ")}.`);
}

function putNeighbours(parent, answer) {
  if (!answer.neighbours || !answer.neighbours.length) return;
  element(parent, "h3", {}, "Nearest training molecules");
  const gallery = element(parent, "div", { class: "gallery" });
  for (const one of answer.neighbours) {
    const figure = element(gallery, "figure", {});
    drawMolecule(figure, one.svg, one.name || one.smiles);
    const text = element(figure, "figcaption", {});
    for (const [task, label] of Object.entries(one.labels).slice(0, 4))
      if (label !== null) element(text, "span", { class: "label" }, `${task} ${typeof label === "number" ? show(label) : label}`);
    element(text, "span", { class: "muted" }, `distance ${show(Number(one.distance.toPrecision(2)))}`);
    element(text, "span", { class: "muted smiles" }, one.name || one.smiles);
  }
}

/* Structural alerts, where they are chosen. */
async function alertsInto(place, smiles, number) {
  try {
    const { alerts } = await ask("/api/alerts", { smiles });
    if (number !== detail.number) return;
    element(place, "h3", {}, "Structural alerts");
    if (!alerts.length) {
      element(place, "p", { class: "muted", id: "no-alerts" }, "None of the PAINS and Brenk lists.");
      return;
    }
    const gallery = element(place, "div", { class: "gallery alerts" });
    for (const alert of alerts) {
      const figure = element(gallery, "figure", {}), words = alert.name.replaceAll("_", " ");
      drawMolecule(figure, alert.svg, `${alert.set}: ${words}, its atoms shaded`);
      const text = element(figure, "figcaption", {});
      element(text, "span", { class: "label" }, words);
      element(text, "span", { class: "muted" }, alert.set);
    }
  } catch (error) {
    element(place, "p", { class: "problem" }, error.message);
  }
}

/* The shaded drawing and what goes with it, into an empty place, when the server has it. */
async function explainInto(drawing, below, smiles, number) {
  const place = element(drawing, "div", { class: "paper waiting" });
  try {
    const answer = await ask("/api/explain", { smiles, model: detail.model.name, output: detail.output });
    if (number !== detail.number) return;
    place.classList.remove("waiting");
    const hints = answer.contributions ? answer.contributions.atoms.map((v, i) => `atom ${i + 1}: ${signed(v)}`) : [];
    drawMolecule(place, answer.svg, `Structural formula of ${smiles}, shaded by the contributions of atoms`, hints);
    putLegend(drawing, answer);
    if (below) putNeighbours(below, answer);
  } catch (error) {
    place.classList.remove("waiting");
    element(place, "p", { class: "problem" }, error.message);
  }
}

/* Cards for every output; choosing one explains it. */
function putCards(parent, row, other, chosen) {
  const cards = element(parent, "div", { class: "cards" });
  for (const model of models) {
    const answer = row.predictions[model.name];
    if (!answer) continue;
    model.outputs.forEach((_, k) => {
      const card = answerCard(cards, model, k, answer, other && other.predictions ? other.predictions[model.name] : null);
      const is = model === detail.model && k === detail.output;
      card.classList.toggle("chosen", chosen && is);
      if (!chosen) return;
      const button = element(card, "button", { type: "button", class: "small", "aria-pressed": is }, is ? "explained" : "explain");
      button.addEventListener("click", () => {
        detail.model = model;
        detail.output = k;
        showDetail(row, true);
      });
    });
  }
}

async function predictOne(smiles) {
  const chosen = models.filter((m) => detail.row.predictions[m.name]).map((m) => m.name);
  const answer = await ask("/api/predict", { smiles, models: chosen });
  return answer.molecules[0];
}

async function compareWith(smiles, place, problem) {
  const number = detail.number;
  problem.hidden = true;
  place.replaceChildren();
  detail.whatIf = smiles.trim() === detail.row.smiles ? "" : smiles.trim();
  saveLink();
  if (!detail.whatIf) return;
  try {
    const row = await predictOne(smiles.trim());
    if (number !== detail.number) return;
    if (row.problem) throw new Error(row.problem);
    const both = element(place, "div", { class: "look" });
    const drawing = element(both, "div", { class: "drawing" });
    putCards(element(both, "div", {}), row, detail.row, false);
    announce("The changed molecule is predicted.");
    await explainInto(drawing, null, row.smiles, number);
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
  }
}

let startWhatIf = () => {}; /* compares with this SMILES, as if it were typed */

function putWhatIf(parent, row) {
  element(parent, "h3", {}, "What if");
  const line = element(parent, "div", { class: "line" });
  element(line, "label", { for: "what-if", class: "muted" }, "Change the SMILES and compare");
  const box = element(line, "input", { id: "what-if", type: "text", spellcheck: "false", autocapitalize: "off", "aria-describedby": "what-if-problem" });
  const button = element(line, "button", { type: "button" }, "Compare");
  const problem = element(parent, "p", { class: "problem", id: "what-if-problem", role: "alert", hidden: "" });
  const place = element(parent, "div", {});
  box.value = row.smiles;
  const go = () => compareWith(box.value, place, problem);
  startWhatIf = (smiles) => {
    box.value = smiles;
    return go();
  };
  button.addEventListener("click", go);
  box.addEventListener("keydown", (event) => event.key === "Enter" && go());
}

function nameOf(row) {
  return row.id !== undefined && row.id !== null && row.id !== "" ? String(row.id) : row.name || "";
}

/* again: the same molecule with another output chosen. */
function showDetail(row, again) {
  const place = $("detail");
  detail.row = row;
  detail.whatIf = "";
  detail.number++;
  const used = models.filter((m) => row.predictions && row.predictions[m.name]);
  if (!used.includes(detail.model)) [detail.model, detail.output] = [used[0], 0];
  place.hidden = false;
  place.replaceChildren();
  const head = element(place, "div", { class: "head" });
  element(head, "h2", { tabindex: "-1" }, nameOf(row) || "Molecule");
  element(head, "code", { class: "smiles" }, row.smiles || "");
  const link = element(head, "button", { type: "button", class: "small" }, "Copy link");
  link.addEventListener("click", async () => {
    if (!boxRows) location.hash = linkNow([row]);
    await navigator.clipboard.writeText(location.href).then(() => (link.textContent = "Copied"), () => (link.textContent = "It is in the address bar"));
  });
  if (row.problem) {
    element(place, "p", { class: "problem" }, row.problem);
    return;
  }
  const look = element(place, "div", { class: "look" });
  const drawing = element(look, "div", { class: "drawing" });
  putCards(element(look, "div", {}), row, null, true);
  const below = element(place, "div", {}), warned = element(place, "div", {});
  putWhatIf(place, row);
  saveLink();
  if ($("alerts").checked) alertsInto(warned, row.smiles, detail.number);
  if (again) place.querySelector("button[aria-pressed=true]").focus();
  return explainInto(drawing, below, row.smiles, detail.number);
}

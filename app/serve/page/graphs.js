/* SPDX-License-Identifier: MIT
 * Part 7: models that read graphs without SMILES. A graph of the model's own data is chosen by its number; its drawing is
 * shaded by what the prediction rests on. */

const graphView = { model: null, graph: 0, output: 0, number: 0 };

const graphModels = () => models.filter((m) => !m.molecules);

function putGraphPrediction(place, answer) {
  const cards = element(place, "div", { class: "cards" });
  graphView.model.outputs.forEach((output, k) => {
    const card = answerCard(cards, graphView.model, k, answer.prediction, null);
    const is = k === graphView.output;
    card.classList.toggle("chosen", is && graphView.model.outputs.length > 1);
    const label = answer.labels[output.task] !== undefined ? answer.labels[output.task] : Object.values(answer.labels)[0];
    if (k === 0 && label !== null && label !== undefined) element(card, "p", { class: "more" }, `measured: ${typeof label === "number" ? show(label) : label}`);
    if (graphView.model.outputs.length < 2 || graphView.model.task === "multiclass") return;
    const button = element(card, "button", { type: "button", class: "small", "aria-pressed": is }, is ? "explained" : "explain");
    button.addEventListener("click", () => {
      graphView.output = k;
      showGraph();
    });
  });
}

function strongestNodes(c) {
  return c.nodes.map((value, node) => ({ value, node })).sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 3)
    .map((s) => `node ${s.node} ${signed(s.value)}`).join(", ");
}

async function showGraph() {
  const place = $("graph-view"), number = ++graphView.number, model = graphView.model;
  history.replaceState(null, "", `#predict?${new URLSearchParams({ model: model.name, graph: graphView.graph, output: graphView.output })}`);
  $("graph-problem").hidden = true;
  try {
    const answer = await ask("/api/graph", { model: model.name, graph: graphView.graph, output: graphView.output });
    if (number !== graphView.number) return;
    place.replaceChildren();
    $("graph-number").max = answer.graphs - 1;
    $("graph-of").textContent = `of ${plural(answer.graphs, "graph")}, 0 to ${(answer.graphs - 1).toLocaleString("en")}`;
    const head = element(place, "div", { class: "head" });
    element(head, "h2", { tabindex: "-1" }, `Graph ${answer.graph}`);
    element(head, "span", { class: "muted" }, `${plural(answer.nodes, "node")}, ${plural(answer.edges, "edge")}${answer.part ? `, in the ${answer.part} part` : ""}`);
    const look = element(place, "div", { class: "look" }), drawing = element(look, "div", { class: "drawing" });
    if (answer.svg) drawMolecule(element(drawing, "div", { class: "paper tall" }), answer.svg, `Graph ${answer.graph}, shaded by what the prediction rests on`);
    if (answer.contributions) {
      element(drawing, "p", { class: "legend" }, `Shaded by what the prediction loses without each node and edge, in ${answer.contributions.unit}.`);
      element(drawing, "p", { class: "muted strongest" }, `Strongest: ${strongestNodes(answer.contributions)}.`);
    } else element(drawing, "p", { class: "muted" }, `No contributions: ${answer.no_contributions}.`);
    putGraphPrediction(element(look, "div", {}), answer);
    announce(`Graph ${answer.graph} is predicted.`);
  } catch (error) {
    if (number !== graphView.number) return;
    $("graph-problem").textContent = error.message;
    $("graph-problem").hidden = false;
  }
}

function goToGraph(graph) {
  const most = Number($("graph-number").max) || Infinity;
  graphView.graph = Math.max(0, Math.min(most, Math.trunc(graph) || 0));
  $("graph-number").value = graphView.graph;
  return showGraph();
}

function startGraphs() {
  const place = $("graphs"), list = graphModels();
  place.hidden = !list.length;
  if (!list.length || place.childElementCount) return;
  graphView.model = list[0];
  element(element(place, "div", { class: "head" }), "h2", {}, "Graphs");
  const line = element(place, "div", { class: "line" });
  element(line, "label", { for: "graph-model", class: "muted" }, "Model");
  const select = element(line, "select", { id: "graph-model" });
  for (const model of list) element(select, "option", { value: model.name }, model.name);
  select.addEventListener("change", () => {
    Object.assign(graphView, { model: list.find((m) => m.name === select.value), output: 0 });
    $("graph-number").max = "";
    goToGraph(0);
  });
  element(line, "label", { for: "graph-number", class: "muted" }, "Graph");
  const number = element(line, "input", { type: "number", id: "graph-number", min: "0", step: "1", value: "0" });
  number.addEventListener("change", () => goToGraph(Number(number.value)));
  for (const [text, step] of [["Previous", -1], ["Next", 1]])
    element(line, "button", { type: "button", class: "small" }, text).addEventListener("click", () => goToGraph(graphView.graph + step));
  element(line, "span", { class: "muted", id: "graph-of" });
  element(place, "p", { class: "problem", id: "graph-problem", role: "alert", hidden: "" });
  element(place, "div", { id: "graph-view" });
}

/* What a link says, or the first graph. */
function openGraphs(wanted) {
  startGraphs();
  const list = graphModels(), model = list.find((m) => m.name === wanted.get("model"));
  if (!list.length || (!model && models.length > list.length) || graphView.number) return;
  if (model) Object.assign(graphView, { model, output: Number(wanted.get("output")) || 0 });
  $("graph-model").value = graphView.model.name;
  goToGraph(Number(wanted.get("graph")) || 0);
}

/* SPDX-License-Identifier: MIT
 * Part 6: trainings (--allow-train). A form whose fields are options of `l2r train`; the command that they mean is shown
 * while they change, with the sentence of the command's checks. Below it what was started here. */

const trainings = { list: [], timer: 0, asked: 0, models: [] };

const trainFields = () => $("train").querySelectorAll("[data-option]");

/* "--lr 0.01 --refit --no-cache" -> {lr: "0.01", refit: true, cache: false} */
function readMore(text) {
  const options = {}, words = text.trim().split(/\s+/).filter(Boolean);
  for (let i = 0; i < words.length; i++) {
    const [, no, name, value] = /^--(no-)?([a-z0-9-]+)(?:=(.*))?$/.exec(words[i]) || [];
    if (!name) throw new Error(`${words[i]} is no option; type options as on the command line: --lr 0.01 --refit`);
    if (value !== undefined) options[name] = value;
    else if (words[i + 1] !== undefined && !words[i + 1].startsWith("--")) options[name] = words[++i];
    else options[name] = !no;
  }
  return options;
}

function trainRequest() {
  const options = {};
  for (const field of trainFields()) if (field.value) options[field.dataset.option] = field.value;
  const targets = [...$("train-targets").querySelectorAll("input:checked")].map((box) => box.value);
  if (targets.length) options["target-columns"] = targets.join(",");
  return { table: $("train-table").value, name: $("train-name").value.trim(), options: { ...options, ...readMore($("train-more").value) } };
}

function showTrainProblem(sentence) {
  $("train-problem").textContent = sentence;
  $("train-problem").hidden = !sentence;
  $("train-go").disabled = Boolean(sentence);
}

/* The command for what the form says, or what is wrong with it. */
async function checkTraining() {
  const number = ++trainings.asked;
  try {
    const answer = await ask("/api/trainings/check", trainRequest());
    if (number !== trainings.asked) return;
    $("train-command").textContent = answer.command || "";
    showTrainProblem(answer.problem || "");
  } catch (error) {
    if (number === trainings.asked) showTrainProblem(error.message);
  }
}

function freeName(table, model) {
  const taken = new Set([...runsPage.runs.map((run) => run.name), ...trainings.list.map((t) => t.name)]);
  const stem = [table.replace(/\.[^.]*(\.gz)?$/, "").replace(/[^A-Za-z0-9._-]/g, "-"), model].filter(Boolean).join("-");
  for (let k = 1; ; k++) {
    const name = k === 1 ? stem : `${stem}-${k}`;
    if (!taken.has(name)) return name;
  }
}

async function chooseTable() {
  const place = $("train-targets"), table = $("train-table").value;
  $("train-name").value = freeName(table, $("train").querySelector("[data-option=model]").value);
  try {
    const answer = await ask(`/api/trainings/table?name=${encodeURIComponent(table)}`);
    place.querySelectorAll("label").forEach((l) => l.remove());
    for (const column of answer.columns.filter((c) => c !== answer.smiles)) {
      const label = element(place, "label", { class: "chip" });
      const box = element(label, "input", { type: "checkbox", value: column });
      box.addEventListener("change", checkTraining);
      element(label, "span", {}, column);
    }
  } catch (error) {
    showTrainProblem(error.message);
    return;
  }
  await checkTraining();
}

/* ---- what was started ---- */

async function trainingCall(path, body) {
  try {
    const answer = await ask(path, body);
    await loadTrainings();
    return answer;
  } catch (error) {
    showTrainProblem(error.message);
    return null;
  }
}

async function predictWith(name) {
  const answer = await trainingCall("/api/models", { run: name });
  if (!answer) return;
  chosenModels = new Set([answer.name]);
  await loadModels();
  location.hash = "#predict";
  $("molecules").focus();
}

function drawTraining(place, one) {
  const row = element(place, "div", { class: "training" }), run = runsPage.runs.find((r) => r.name === one.name);
  const line = element(row, "div", { class: "line" });
  element(line, "strong", {}, one.name);
  element(line, "span", { class: `state ${one.state === "failed" ? "problem" : one.state}` }, one.state);
  if (run && one.state !== "failed") element(line, "span", { class: "muted" }, progressOf(run));
  const button = (text, act) => {
    const made = element(line, "button", { type: "button", class: "small", "aria-label": `${text}: ${one.name}` }, text);
    made.addEventListener("click", act);
  };
  if (run) button("Curves", () => {
    runsPage.chosen = new Set([one.name]);
    drawRuns();
    choose();
  });
  if (one.state === "running") button("Stop", () => trainingCall("/api/trainings/stop", { id: one.id }));
  if (one.state === "stopped") button("Continue", () => trainingCall("/api/trainings", { resume: one.name }));
  if (one.state === "finished") button("Predict with it", () => predictWith(one.name));
  element(row, "code", { class: "command" }, one.command);
  if (one.message) element(row, "p", { class: one.state === "failed" ? "problem pre" : "muted pre" }, one.message);
}

async function loadTrainings() {
  const answer = await ask("/api/trainings"), place = $("train-list");
  const focused = place.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
  const ended = trainings.list.filter((t) => t.state === "running" && answer.trainings.some((n) => n.id === t.id && n.state !== "running"));
  trainings.list = answer.trainings;
  place.replaceChildren();
  for (const one of trainings.list) drawTraining(place, one);
  const again = focused && place.querySelector(`button[aria-label="${CSS.escape(focused)}"]`);
  if (again) again.focus({ preventScroll: true });
  for (const one of ended) announce(`${one.name} has ended.`);
  clearTimeout(trainings.timer);
  if (trainings.list.some((t) => t.state === "running")) trainings.timer = setTimeout(() => loadTrainings().catch(() => {}), 1000);
  return answer;
}

async function startTraining() {
  let request;
  try {
    request = trainRequest();
  } catch (error) {
    return showTrainProblem(error.message);
  }
  const one = await trainingCall("/api/trainings", request);
  if (!one) return undefined;
  announce(`${one.name} is being trained.`);
  $("train-name").value = freeName(request.table, request.options.model);
  return checkTraining();
}

/* ---- the form ---- */

function trainField(form, label, make) {
  const place = element(form, "label", { class: "field" });
  element(place, "span", {}, label);
  return make(place);
}

function trainSelect(place, option, list, first) {
  const select = element(place, "select", option ? { "data-option": option } : {});
  if (first) element(select, "option", { value: "" }, first);
  for (const { name, title } of list) element(select, "option", { value: name }, title && title !== name ? `${name}: ${title}` : name);
  return select;
}

async function startTrainings() {
  const place = $("train");
  place.hidden = false;
  element(element(place, "div", { class: "head" }), "h2", {}, "Train a model");
  const form = element(place, "div", { class: "form" }), wide = element(place, "div", {});
  element(place, "div", { id: "train-list" });
  const { tables, models: known, methods, folder } = await loadTrainings();
  if (!tables.length) {
    element(form, "p", { class: "muted" }, `There are no tables in ${folder}: put a .csv with a column of SMILES there.`);
    return;
  }
  const table = trainField(form, "Table", (p) => trainSelect(p, null, tables.map((name) => ({ name }))));
  table.id = "train-table";
  table.addEventListener("change", chooseTable);
  trainField(form, "Name of the run", (p) => element(p, "input", { type: "text", id: "train-name", spellcheck: "false" }));
  const model = trainField(form, "Model", (p) => trainSelect(p, "model", known, "the default: a committee"));
  model.addEventListener("change", () => ($("train-name").value = freeName(table.value, model.value)));
  trainField(form, "Method", (p) => trainSelect(p, "method", methods, "the default"));
  trainField(form, "Epochs", (p) => element(p, "input", { type: "text", "data-option": "epochs", inputmode: "numeric", placeholder: "the default" }));
  trainField(form, "Seed", (p) => element(p, "input", { type: "text", "data-option": "seed", inputmode: "numeric", placeholder: "0" }));
  const targets = element(wide, "fieldset", { class: "chips", id: "train-targets" });
  element(targets, "legend", {}, "What to predict");
  element(targets, "span", { class: "muted" }, "chosen by the program where none is:");
  trainField(wide, "More options, as on the command line", (p) =>
    element(p, "input", { type: "text", id: "train-more", spellcheck: "false", autocapitalize: "off", placeholder: "--lr 0.001 --early-stop 30" }));
  element(wide, "code", { class: "command", id: "train-command" });
  element(wide, "p", { class: "problem", id: "train-problem", role: "alert", hidden: "" });
  const go = element(element(wide, "div", { class: "line" }), "button", { type: "button", class: "main", id: "train-go" }, "Train");
  go.addEventListener("click", startTraining);
  let waiting = 0;
  for (const field of place.querySelectorAll("input[type=text], select")) field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(checkTraining, 150);
  });
  await chooseTable();
}

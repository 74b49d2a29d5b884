/* SPDX-License-Identifier: MIT
 * Part 4: the light and dark switch, and the start. */

/* The reader's choice is kept where the browser allows it; pages from disk may not be allowed to. */
function startTheme(button) {
  const names = { auto: "\u25d0 auto", light: "\u2600 light", dark: "\u263e dark" };
  let theme = "auto";
  const keep = (value) => { try { localStorage.setItem("l2r-theme", value); } catch { /* not kept */ } };
  const set = (value) => {
    theme = names[value] ? value : "auto";
    document.documentElement.dataset.theme = theme;
    button.textContent = names[theme];
    button.setAttribute("aria-label", `Colours: ${theme}. Press to change.`);
  };
  try { theme = localStorage.getItem("l2r-theme") || theme; } catch { /* not allowed */ }
  set(theme);
  button.hidden = false;
  button.addEventListener("click", () => {
    set({ auto: "light", light: "dark", dark: "auto" }[theme]);
    keep(theme);
  });
}

startTheme(document.getElementById("theme"));
const sets = JSON.parse(document.getElementById("charts").textContent);
document.querySelectorAll("[data-set]").forEach((place) => addSet(place, sets[place.dataset.set]));

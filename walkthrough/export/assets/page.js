// Steps, the player, keys; whatever a gesture does, it does through these.

const root = document.documentElement;
const sections = $$(".step");
let step = 0, timer = 0, zoom = 1;

const section = () => sections[step];
const info = () => data.steps[step];
const narrow = () => root.classList.contains("narrow");
const refresh = () => mark(section(), info());

function here(part) {
  for (const button of $$(".map button")) {
    if (button.dataset.part === part) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}

// On a narrow page, what happens now comes into view.
function reveal(what) {
  if (narrow()) what?.scrollIntoView({ block: "nearest", behavior: "instant" });
}

function scrubber(now, most, where) {
  const scrub = $("#scrub");
  Object.assign(scrub, { max: Math.max(1, most), value: now, disabled: !most });
  $("#count").textContent = where;
  scrub.setAttribute("aria-valuetext", `${where} ${$("#sum").textContent}`.trim());
  for (const button of $$(".player button")) button.disabled = !most;
}

function open(to, { focus = true, end = false } = {}) {
  if (to < 0 || to >= sections.length) return;
  stop();
  step = to;
  at = hover = held = null;
  refused = "";
  sections.forEach((each, i) => { each.hidden = i !== step; });
  $("#place").textContent = step + 1;
  $("#back").disabled = step === 0;
  $("#next").disabled = step === sections.length - 1;
  root.style.setProperty("--done", `${((step + 1) / sections.length) * 100}%`);
  board = figures.get(section());
  steps = walk(info());
  openFilm(section(), end);
  if (focus) {
    history.replaceState(null, "", `#step-${step + 1}`);
    $(`#heading-${step + 1}`).focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  draw();
}

// Everything that depends on the window.
function draw() {
  root.classList.toggle("narrow", innerWidth / parseFloat(getComputedStyle(root).fontSize) < 66.5);
  fit();
  if (film) { drawFilm(); here(info().here); } else { refresh(); align(section()); wires(section()); }
  reach();
}

// What is a little too large for its zone is made smaller; what still is too large scrolls.
function fit() {
  for (const zone of $$(".said, .board, .after, .film", section())) {
    zone.classList.remove("long");
    zone.style.removeProperty("--fit-now");
    if (narrow()) continue;
    const over = () => zone.scrollHeight > zone.clientHeight + 1 || zone.scrollWidth > zone.clientWidth + 1;
    for (let size = 0.97; over() && size > 0.6; size *= 0.97) zone.style.setProperty("--fit-now", size.toFixed(3));
    zone.classList.toggle("long", over());
  }
}

// Only what really scrolls needs to be reached with Tab.
function reach() {
  for (const box of $$(".scroll, .code pre, .paper, .m.plain, .seq, .long", section())) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

// ---- the player: terms, or events ----

const length = () => (film ? frames().length : steps.length);
const place = () => (film ? film.at : at);
function go(to) { if (film) goFrame(to ?? length()); else goTerm(to, section(), info()); }
function forward() {
  if (!length() || place() === length()) open(step + 1);
  else go((place() ?? 0) + 1);
}
function back() {
  if (film ? film.at > 0 : at) go(place() - 1);
  else if (at === 0) go(null);
  else if (step) open(step - 1, { end: true });
}

// To the next matrix, or the one before.
function jump(by_) {
  if (film || !steps.length) return by_ > 0 ? forward() : back();
  const ids = steps.map((s) => s.id), now = at ? ids[at - 1] : null;
  if (by_ > 0) {
    const from = at ?? 0, id = ids[Math.min(from, ids.length - 1)];
    return go(ids.lastIndexOf(id) + 1);
  }
  return go(now ? ids.indexOf(now) : at === null ? ids.indexOf(ids.at(-1)) : 0);
}

function play() {
  if (timer) return stop();
  if (!length()) return;
  if (place() === null || place() === length()) go(0);
  $("#told").setAttribute("aria-live", "off");
  $("#play").textContent = $("#play").dataset.pause;
  timer = setInterval(() => {
    if (place() === length()) { stop(); if (!film) go(null); } else go(place() + 1);
  }, film ? 1700 : 850);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  $("#told").setAttribute("aria-live", "polite");
  $("#play").textContent = $("#play").dataset.play;
}

function reset() {
  edited.clear();
  compute();
  paint();
  hover = held = null;
  if (!film) refresh();
  else $("#reset").hidden = true;
}

// ---- gestures ----

function theme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  nameTheme();
}
function nameTheme() {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  $("#theme span").textContent = $("#theme").dataset[dark ? "light" : "dark"];
}
function size(by_) {
  zoom = Math.max(0.7, Math.min(2.5, zoom * by_));
  root.style.setProperty("--zoom", zoom);
  draw();
}
function letGo() {
  stop();
  hover = held = null;
  refused = "";
  for (const details of $$("details.pop[open]")) details.open = false;
  if (document.activeElement.closest?.("td")) document.activeElement.blur();
  if (!film) refresh();
}
function code() {
  const details = $(".code", section());
  if (details) details.open = !details.open;
}

const walkOn = () => { stop(); forward(); }, walkBack = () => { stop(); back(); };
const actions = {
  ArrowRight: walkOn, PageDown: walkOn, " ": walkOn, ArrowLeft: walkBack, PageUp: walkBack,
  Home: () => { stop(); go(0); }, End: () => { stop(); go(length()); },
  "]": () => { stop(); jump(1); }, "[": () => { stop(); jump(-1); },
  n: () => open(step + 1), p: () => open(step - 1), r: reset, c: code, t: theme,
  "?": () => $("#keys").showModal(), "+": () => size(1.1), "=": () => size(1.1), "-": () => size(1 / 1.1),
  Escape: letGo,
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || $("dialog[open]")) return;
  let key = event.key;
  // With a Korean input method on, only the key's place tells the letter.
  if (!/^[\x20-\x7e]$/.test(key) && /^Key[A-Z]$/.test(event.code)) key = event.code[3].toLowerCase();
  const td = event.target.closest?.("td[role=gridcell]");
  const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[key];
  if (td && move) {
    event.preventDefault();
    cellOf(td.closest("figure"), +td.dataset.row + move[0], +td.dataset.col + move[1])?.focus();
    return;
  }
  if (td && "given" in td.dataset && (key === "Enter" || key === "F2" || /^[-\d.]$/.test(key))) {
    event.preventDefault();
    stop();
    edit(td, /^[-\d.]$/.test(key) ? key : undefined, afterEdit);
    return;
  }
  if (event.target.closest("input:not([type=checkbox]), [tabindex='0']:is(pre, .scroll, .paper)") && key !== "Escape") return;
  if (key === " " && event.target.closest("button, summary, a, input, label")) return;
  const act = actions[key];
  if (!act || (key.length === 1 && !$("#letters").checked)) return;
  event.preventDefault();
  act();
});

const afterEdit = () => { resting = pointer; refresh(); };
const pointed = (event) => {
  const td = event.target.closest?.("td[role=gridcell]");
  return td && { td, id: td.closest("figure").dataset.node, i: +td.dataset.row, j: +td.dataset.col };
};
const same = (a, b) => a && b && a.id === b.id && a.i === b.i && a.j === b.j;
const main = $("#main");
let pointer = "", resting = ""; // where it is; where it was when a number was taken
main.addEventListener("pointerover", (event) => {
  pointer = `${event.clientX} ${event.clientY}`;
  if (pointer === resting) return; // the page has changed under it: nobody has pointed
  resting = "";
  if (film || $("input.edit") || event.pointerType === "touch") return;
  const found = pointed(event), next = found && !found.td.classList.contains("todo") ? found : null;
  if (next === hover || same(next, hover)) return;
  hover = next;
  refresh();
});
main.addEventListener("pointerleave", () => { if (!film && !$("input.edit")) { hover = null; refresh(); } });
main.addEventListener("focusin", (event) => {
  const found = pointed(event);
  if (!found || $("input.edit")) return;
  for (const td of $$("td[role=gridcell]", found.td.closest("table"))) td.tabIndex = td === found.td ? 0 : -1;
  if (found.td.matches(":focus-visible")) { hover = found; refresh(); }
});
main.addEventListener("focusout", (event) => {
  if (pointed(event) && !$("input.edit")) { hover = null; refresh(); }
});
main.addEventListener("click", (event) => {
  const found = pointed(event);
  if (!found || event.target.closest("input")) return;
  stop();
  if ("given" in found.td.dataset) { edit(found.td, undefined, afterEdit); return; }
  held = same(held, found) ? null : found;
  hover = null;
  refresh();
});
document.addEventListener("click", (event) => {
  if (held && !film && !$("input.edit") && !event.target.closest("td, .now, .bar")) { held = null; refresh(); }
});
$(".map").addEventListener("click", (event) => {
  const part = event.target.closest("button")?.dataset.part;
  if (!part) return;
  const has = (i) => data.steps[i].board.some((id) => by.get(id)?.part === part);
  const order = [...sections.keys()].map((i) => (step + i) % sections.length);
  const to = order.find(has);
  if (to === undefined) return;
  if (to !== step) open(to, { focus: false });
  const found = [...board].filter(([id]) => by.get(id).part === part).map(([, figure]) => figure);
  for (const figure of found) figure.classList.add("here");
  setTimeout(() => found.forEach((figure) => figure.classList.remove("here")), 2600);
  here(part);
  reveal(found[0]);
});
$(".player").addEventListener("click", (event) => {
  const what = event.target.closest("button")?.dataset.go;
  if (what === "start") { stop(); go(0); }
  if (what === "back") walkBack();
  if (what === "on") walkOn();
});
$("#play").addEventListener("click", play);
$("#scrub").addEventListener("input", (event) => { stop(); go(+event.target.value); });
$("#back").addEventListener("click", () => open(step - 1));
$("#next").addEventListener("click", () => open(step + 1));
$("#reset").addEventListener("click", reset);
$("#theme").addEventListener("click", theme);
$("#help").addEventListener("click", () => $("#keys").showModal());
for (const details of $$("details")) details.addEventListener("toggle", draw);
addEventListener("resize", draw);
addEventListener("hashchange", () => open(fromHash()));
addEventListener("beforeprint", () => {
  stop();
  letGo();
  for (const each of sections) {
    openFilm(each, true);
    if (film) drawFilm();
    for (const text of $$(".said .code pre", each)) { // over the whole width, not in the column
      const copy = text.cloneNode(true);
      copy.classList.add("printed");
      each.append(copy);
    }
  }
  for (const details of $$("details")) { details.dataset.was = details.open; details.open = true; }
});
addEventListener("afterprint", () => {
  for (const copy of $$(".printed")) copy.remove();
  for (const details of $$("details")) details.open = details.dataset.was === "true";
  open(step, { focus: false });
});

function fromHash() {
  const found = /^#step-(\d+)$/.exec(location.hash);
  return found ? Math.min(sections.length, +found[1]) - 1 : 0;
}

root.classList.replace("no-js", "js");
prepare();
nameTheme();
open(fromHash(), { focus: false });
document.fonts?.ready.then(draw);
// For tests: the graph, to be compared with Python's.
window.walkthrough = { data, value, number, compute, paint, edited, stale, open, go, length };

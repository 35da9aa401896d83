// A pool's events: sequences above with their tables, the blocks below, lines between them.

const LINES = ["", "12 6", "2 7", "14 5 3 5"]; // of owners, one after the other
for (const { recordings } of Object.values(data.films)) {
  for (const { before, frames } of Object.values(recordings)) {
    for (const frame of [before, ...frames]) { // what stays as it is stands in the page once
      for (const kind of ["seqs", "blocks"]) {
        for (const key in frame[kind]) frame[kind][key] = data.parts[frame[kind][key]];
      }
    }
  }
}
let film = null; // { section, root, film, slots, at }

const frames = () => film.film.recordings[film.slots].frames;
const stateAt = (n) => (n ? frames()[n - 1] : film.film.recordings[film.slots].before);

function who(key) {
  const { letter, name, hue } = film.film.names[key];
  return `<span class="who hue-${hue}" role="img" aria-label="${html(say("sequence", { name: name || letter }))}">${html(letter)}</span>`;
}

function openFilm(section, end) {
  const root = $(".film", section);
  film = null;
  if (!root) return;
  const found = data.films[root.dataset.film], sizes = Object.keys(found.recordings);
  root.film ??= { section, root, film: found, slots: sizes[0], at: 0, first: true };
  film = root.film;
  const slider = $(".size input", section);
  if (film.first) {
    film.slots = root.dataset.slots ?? String(mostUsed(found));
    film.first = false;
    dense(section);
    if (slider) {
      slider.value = sizes.indexOf(film.slots);
      $(".size output", section).textContent = film.slots;
      slider.oninput = () => otherSize(sizes[+slider.value]);
    }
  }
  if (end) film.at = frames().length;
}

// The lesson's own block size is the recording that was made first.
const mostUsed = (found) => found.first;

// Drawn so that its fullest frame fits: with short tables where sequences have many blocks.
function dense(section) {
  const full = (s) => Object.values(s.seqs).reduce((n, { table }) => n + table.length, 0);
  const most = Math.max(...frames().flatMap((f) => Object.values(f.seqs).map((s) => s.table.length)), 0);
  film.root.classList.toggle("dense", most > 3);
  const kept = film.at;
  film.at = frames().reduce((best, f, i) => (full(f) > full(stateAt(best)) ? i + 1 : best), 0);
  drawFilm();
  fit();
  film.at = kept;
}

function otherSize(slots) {
  const copies = (list) => list.filter((f) => f.kind === "copied").length;
  film.slots = slots;
  $(".size output", film.section).textContent = slots;
  dense(film.section);
  film.at = frames().length;
  drawFilm();
  $("#sum").textContent = say("copies", { slots, count: copies(frames()) });
}

function slotsHTML(tokens, count) {
  return Array.from({ length: count }, (_, i) => {
    const token = tokens[i];
    const long = token && [...token].reduce((s, c) => s + (c > "\u1100" ? 2 : 1), 0) > 6 ? " long" : "";
    return `<span class="slot${token === undefined ? " empty" : long}" data-slot="${i}">${token === undefined ? "" : html(token)}</span>`;
  }).join("");
}

function drawFilm() {
  const { root, film: whole, slots } = film, state = stateAt(film.at), f = film.at ? state : null;
  const keys = Object.keys(whole.names).filter((k) => state.seqs[k] || (f && f.who === k) || keepsPlace(k));
  const cards = keys.map((k) => {
    const s = state.seqs[k];
    const note = s ? say("tokens", { count: s.tokens.length }) : say(everBefore(k) ? "ended" : "waiting");
    const table = (s?.table ?? []).map((b, i) => {
      const part = s.tokens.slice(i * slots, (i + 1) * +slots);
      return `<span class="lb"><small>${say("logical", { number: i })}</small><span class="slots">${slotsHTML(part, +slots)}</span>`
        + `<span class="ptr" data-to="${b}" data-who="${k}">${b ? `<i>${say("physical")}</i> ${b}` : "−"}</span></span>`;
    }).join("");
    const { name, hue } = whole.names[k];
    return `<div class="seq hue-${hue}${s ? "" : " none"}${f?.who === k ? " acts" : ""}"><p>${who(k)} <b>${html(name.length > 1 ? name : "")}</b> <small>${note}</small></p><div class="lbs">${table}</div></div>`;
  }).join("");
  const blocks = Array.from({ length: whole.blocks }, (_, b) => {
    const x = state.blocks[b], kind = b ? x?.state ?? "free" : "null";
    const own = keys.filter((k) => state.seqs[k]?.table.includes(b));
    if (f?.block === b && f.kind === "allocated" && !own.length && f.who) own.push(f.who);
    const now = f?.block === b ? " now-block" : f?.kind === "copied" && f.other === b ? " now-from" : "";
    const hue = own.length ? ` hue-${whole.names[own[0]].hue}` : "";
    return `<li class="blk ${kind}${now}${hue}" data-block="${b}"><span class="hd"><b>${b}</b>${b && x ? `<small><i>ref_cnt</i> <b>${x.ref}</b></small>` : ""}</span>`
      + `<span class="own">${own.map(who).join("") || html(data.states[kind])}</span>${b ? `<span class="slots">${slotsHTML(x?.slots ?? [], +slots)}</span>` : ""}</li>`;
  }).join("");
  const rest = whole.rest ? `<li class="rest">${html(whole.rest)}</li>` : "";
  root.innerHTML = `<svg class="links" aria-hidden="true"></svg><div class="seqs">${cards}</div><ul class="blocks${whole.blocks > 12 ? " many" : ""}">${blocks}${rest}</ul>`;
  links();
  const why = f?.kind === "copied" ? say("copied.why") : f?.kind === "freed" && f.other ? say("freed.why") : "";
  if (f) tell(f.who ? who(f.who) : "", html(f.say), why);
  else tell("", say("film.before"), say("film.first"));
  scrubber(film.at, frames().length, `${film.at} / ${frames().length}`);
}

const everBefore = (k) => [0, ...frames().keys()].some((_, i) => i <= film.at && stateAt(i).seqs[k]);
// With few sequences, each keeps its place from the first frame to the last.
const keepsPlace = () => Object.keys(film.film.names).length <= 4;

function links() {
  const svg = $(".links", film.root);
  if (!svg || document.documentElement.classList.contains("narrow")) return;
  const o = svg.getBoundingClientRect(), dark = getComputedStyle(document.documentElement);
  svg.innerHTML = $$(".ptr", film.root).filter((p) => +p.dataset.to).map((p) => {
    const { hue } = film.film.names[p.dataset.who];
    const card = p.closest(".seq").getBoundingClientRect(), from = p.getBoundingClientRect();
    const to = $(`[data-block="${p.dataset.to}"]`, film.root)?.getBoundingClientRect();
    if (!to) return "";
    const x1 = (from.left + from.right) / 2 - o.left, y0 = from.bottom - o.top + 2, y1 = card.bottom - o.top;
    const x2 = to.left - o.left + to.width * (0.2 + 0.2 * hue), y2 = to.top - o.top - 5, bend = (y2 - y1) * 0.55;
    return `<path class="hue-${hue}" stroke-dasharray="${LINES[hue]}" d="M${x1} ${y0}V${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"/>`;
  }).join("");
}

function goFrame(to) {
  const before = film.at;
  film.at = Math.max(0, Math.min(frames().length, to));
  drawFilm();
  const f = film.at ? frames()[film.at - 1] : null;
  if (!f || film.at === before) return;
  const slot = (block, i) => $(`[data-block="${block}"] [data-slot="${i}"]`, film.root);
  reveal($(".now-block", film.root));
  if (film.at !== before + 1) return;
  if (f.kind === "copied") {
    f.blocks[f.block]?.slots.forEach((_, i) => fly(slot(f.other, i), slot(f.block, i)));
  }
  if (f.kind === "written" && f.who) {
    const was = stateAt(before).seqs[f.who]?.tokens.length ?? 0, table = f.seqs[f.who]?.table ?? [];
    const index = table.indexOf(f.block);
    const cards = $$(".seq.acts .lb", film.root);
    for (let i = Math.max(0, was - index * film.slots); i < f.other; i++) {
      fly($$(".slot", cards[index])[i], slot(f.block, i));
    }
  }
}

// The matrices of a step: pointing, term by term, changing a given number.

const cellOf = (figure, i, j) => $(`td[data-row="${i}"][data-col="${j}"]`, figure);
const figures = new Map(); // of a section: its figures by node
const printed = new WeakMap(); // the lesson's text of each cell
let board = new Map(); // of the step shown
let steps = []; // its terms, in order
let at = null; // how many of them are computed; null: all, and nothing is walked through
let hover = null, held = null, refused = "";

function prepare() {
  for (const section of $$(".step")) {
    const found = new Map();
    for (const figure of $$("figure[data-node]", section)) {
      const node = by.get(figure.dataset.node);
      if (!node || found.has(node.id)) continue;
      found.set(node.id, figure);
      if (node.op === null) continue;
      const table = $("table", figure);
      table.setAttribute("role", "grid");
      for (const td of $$("td[data-row]", table)) {
        td.setAttribute("role", "gridcell");
        const [i, j] = [+td.dataset.row, +td.dataset.col];
        td.tabIndex = i || j ? -1 : 0;
        printed.set(td, td.textContent);
        td.innerHTML = `<span class="v">${html(td.textContent)}</span>`;
        const source = origin(node.id, i, j);
        td.setAttribute("aria-readonly", source === null);
        if (source) td.dataset.given = "";
      }
      if (node.new) $("tbody", table).childNodes.forEach((tr, i) => tr.classList.add(node.new.includes(i) ? "arrived" : "stored"));
    }
    figures.set(section, found);
  }
}

// The terms of a step: what stands on its board and is computed there, entry by entry.
function walk(step) {
  const list = [];
  for (const id of step.board) {
    const n = by.get(id);
    if (!n || !board.has(id) || !OPS[n.op] || n.op === "rows" || stale.has(id)) continue;
    const size = value.get(id);
    if (OPS[n.op].through) {
      const rows = n.op === "concat" && n.new ? n.new : size.map((_, i) => i);
      for (const i of rows) list.push({ id, i, j: 0, k: 0, row: true, done: size[i].map((_, j) => [i, j]) });
      continue;
    }
    size.forEach((row, i) => row.forEach((_, j) => {
      const count = OPS[n.op].terms(n, inputs(n), i, j).length;
      for (let k = 0; k < count; k++) {
        list.push({ id, i, j, k, done: k === count - 1 ? [[i, j]] : [] });
      }
    }));
  }
  return list;
}

// Every number on every board as it is now; a changed one keeps the lesson's beside it.
function paint() {
  const changed = new Set();
  for (const [, found] of figures) for (const [id, figure] of found) {
    const n = by.get(id);
    figure.classList.toggle("stale", edited.size > 0 && (stale.has(id) || n.op === null));
    if (n.op === null) continue;
    const now = value.get(id), most = Math.max(1e-9, ...now.flat().map(Math.abs).filter(Number.isFinite));
    for (const td of $$("td[data-row]", figure)) {
      const [i, j] = [+td.dataset.row, +td.dataset.col], x = now[i][j], was = printed.get(td);
      const same = Object.is(x, n.value[i][j]);
      let text = same ? was : number(x);
      if ("given" in td.dataset && /\.\d*0$/.test(text)) text = text.replace(/\.?0+$/, "");
      const differs = text !== was;
      if (differs) changed.add(`${id} ${i} ${j}`);
      if (!differs && !td.classList.contains("changed")) continue;
      const old = `<span class="old"><span class="sr">${say("was")} </span>${html(was)}<span class="sr">, ${say("now")} </span></span>`;
      td.innerHTML = `${differs ? old : ""}<span class="v">${html(text)}</span>`;
      td.classList.toggle("changed", differs);
      td.classList.toggle("neg", x < 0);
      td.style.setProperty("--h", Number.isFinite(x) ? Math.min(1, Math.abs(x) / most) : 0);
      const room = parseFloat(getComputedStyle(figure).getPropertyValue("--w")) / 0.58;
      $(".v", td).style.fontSize = text.length > room ? `${Math.max(0.45, room / text.length).toFixed(2)}em` : "";
    }
  }
  $("#reset").hidden = !edited.size;
  return changed.size;
}

// The token with the largest logit in the last row, where the lesson has logits.
function nextToken() {
  const n = nodes.findLast((m) => m.part === "logits" && m.op === "matmul" && m.cols && !stale.has(m.id));
  const row = n && value.get(n.id).at(-1);
  return row && n.cols.length === row.length ? n.cols[row.indexOf(Math.max(...row))] : "";
}

function termHTML(term, k, upto, current) {
  const later = k > upto ? " later" : "";
  return `${k ? `<span class="${later}"> + </span>` : ""}<span class="t${later}${k === current ? " cur" : ""}">${term.html}</span>`;
}

function tell(math, sum, why) {
  $("#formula").innerHTML = math;
  $("#sum").innerHTML = sum;
  $("#why").textContent = why;
}

// What is framed, what is not computed yet, and what is said about it.
function mark(section, step) {
  for (const td of $$("td[data-row], th", section)) td.classList.remove("on", "src", "also", "todo", "lit");
  for (const path of $$(".wires .lit", section)) path.classList.remove("lit");
  if (at !== null) {
    const done = new Set(steps.slice(0, at).flatMap((s) => s.done.map(([i, j]) => `${s.id} ${i} ${j}`)));
    for (const id of new Set(steps.map((s) => s.id))) {
      const all = new Set(steps.filter((s) => s.id === id).flatMap((s) => s.done.map((d) => d.join(" "))));
      for (const td of $$("td[data-row]", board.get(id))) {
        const place = `${td.dataset.row} ${td.dataset.col}`;
        if (all.has(place)) td.classList.toggle("todo", !done.has(`${id} ${place}`));
      }
    }
  }
  const walking = !hover && !held && at ? steps[at - 1] : null;
  const place = hover ?? held ?? walking;
  if (refused) tell("", `<span class="bad">${html(refused)}</span>`, say("error.why"));
  else if (!place) idle(section);
  else {
    const n = by.get(place.id), e = entry(place.id, place.i, place.j, board);
    if (n.part) here(n.part);
    if (stale.has(n.id)) tell(n.math ?? "", html(entryName(n, place.i, place.j)), say("stale"));
    else if (!e) given(n, place);
    else spellOut(n, e, place, walking);
  }
  if (!place) here(step.here);
  const where = at === null ? say("all") : `${at} / ${steps.length}`;
  scrubber(at ?? steps.length, steps.length, steps.length ? where : "");
}

function idle(section) {
  const count = $$("td.changed", section).length && paint();
  const editable = $("td[data-given]", section);
  if (at === 0) tell("", say("nothing"), say("first"));
  else if (edited.size) {
    const token = nextToken();
    const bold = `<b class="tok">${html(token)}</b>`;
    tell("", token ? say("changed.next", { count: count || paint(), token: bold }) : say("changed", { count: count || paint() }), say("changed.why"));
  } else if (steps.length || editable) tell("", say("point"), say(editable ? "point.edit" : "point.why"));
  else tell("", "", say("read"));
}

function given(n, { id, i, j }) {
  cellOf(board.get(id), i, j).classList.add("on");
  const x = `<b class="r">${number(value.get(id)[i][j])}</b>`;
  tell(n.math ?? "", `${html(entryName(n, i, j))} = ${x}`, say(origin(id, i, j) ? "given" : "given.fixed"));
}

function spellOut(n, e, place, walking) {
  const upto = walking && !walking.row ? walking.k : 99;
  const current = walking && !walking.row && e.terms.length > 1 ? walking.k : -1;
  const complete = !walking || walking.done.length > 0;
  const targets = walking?.row ? walking.done : [[place.i, place.j]];
  const from = walking?.row
    ? targets.flatMap(([i, j]) => entry(place.id, i, j, board).terms.flatMap((t) => t.from.map((f) => [f, 0])))
    : e.terms.flatMap((t, k) => t.from.map((f) => [f, k]));
  for (const [[id, i, j], k] of from) {
    const td = cellOf(board.get(id), i, j);
    td?.classList.add(current < 0 || k === current || walking?.row ? "src" : "also");
  }
  for (const [i, j] of targets) cellOf(board.get(place.id), i, j)?.classList.add(complete ? "on" : "also");
  for (const td of $$("td.on, td.src", $(".step:not([hidden])"))) {
    $("th", td.parentNode)?.classList.add("lit");
    const heads = td.closest("table").tHead?.rows[0].cells;
    heads?.[td.cellIndex]?.classList.add("lit");
  }
  const lit = new Set(from.map(([[id]]) => id));
  for (const p of $$(".wires path")) p.classList.toggle("lit", p.dataset.to === place.id && lit.has(p.dataset.from));
  const sum = walking?.row
    ? html(say("arrives", { row: label(n, "rows", place.i), name: n.name }))
    : `${html(e.name)} = ${e.terms.map((t, k) => termHTML(t, k, upto, current)).join("")}<span class="${complete ? "" : "later"}"> = <b class="r">${e.result}</b></span>`;
  tell(e.math, sum, e.why);
}

// A copy of what is in one place moves to another.
function fly(from, to) {
  const [a, b] = [from?.getBoundingClientRect(), to?.getBoundingClientRect()];
  if (calm.matches || !a?.width || !b?.width) return;
  const ghost = document.createElement("div");
  ghost.className = "ghost";
  ghost.textContent = from.textContent;
  ghost.setAttribute("aria-hidden", "true");
  Object.assign(ghost.style, { left: `${a.left}px`, top: `${a.top}px`, width: `${b.width}px`, height: `${b.height}px` });
  document.body.append(ghost);
  to.classList.add("awaited");
  const path = [{ transform: "none" }, { transform: `translate(${b.left - a.left}px, ${b.top - a.top}px)` }];
  ghost.animate(path, { duration: 850, easing: "cubic-bezier(.5,0,.2,1)" }).finished
    .finally(() => { ghost.remove(); to.classList.remove("awaited"); });
}

function goTerm(to, section, step) {
  const before = at ?? -1;
  at = to === null ? null : Math.max(0, Math.min(steps.length, to));
  hover = held = null;
  mark(section, step);
  const now = at ? steps[at - 1] : null;
  if (!now) return;
  reveal(cellOf(board.get(now.id), now.i, now.j));
  if (now.row && at === before + 1) {
    for (const [i, j] of now.done) {
      const source = entry(now.id, i, j, board).terms[0].from[0];
      if (source) fly(cellOf(board.get(source[0]), source[1], source[2]), cellOf(board.get(now.id), i, j));
    }
  }
}

// A given number changes in its place; Enter or leaving takes it, Esc does not.
function edit(td, typed, changed) {
  const id = td.closest("[data-node]").dataset.node, [i, j] = [+td.dataset.row, +td.dataset.col];
  const source = origin(id, i, j);
  if (!source || $("input.edit")) return;
  const [gid, a, b] = source, n = by.get(id);
  held = { id, i, j };
  at = null;
  const input = document.createElement("input");
  Object.assign(input, { className: "edit", autocomplete: "off", value: typed ?? String(value.get(gid)[a][b]) });
  input.setAttribute("inputmode", "text");
  input.setAttribute("aria-label", say("edit", { name: n.name, row: label(n, "rows", i), col: label(n, "cols", j) }));
  input.setAttribute("aria-describedby", "sum");
  td.append(input);
  input.focus();
  if (typed === undefined) input.select();
  const close = (back) => {
    input.onblur = null;
    input.remove();
    refused = "";
    held = hover = null;
    changed();
    if (back) td.focus();
    hover = null;
    changed();
  };
  const take = (back) => {
    const [error, x] = parse(input.value);
    if (error) {
      refused = error;
      input.setAttribute("aria-invalid", "true");
      changed();
      return false;
    }
    const base = by.get(gid).value;
    const next = (edited.get(gid) ?? base).map((row, r) => row.map((y, c) => (r === a && c === b ? x : y)));
    if (next.every((row, r) => row.every((y, c) => y === base[r][c]))) edited.delete(gid);
    else edited.set(gid, next);
    compute();
    paint();
    close(back);
    return true;
  };
  input.oninput = () => { refused = ""; input.removeAttribute("aria-invalid"); changed(); };
  input.onkeydown = (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); take(true); }
    if (event.key === "Escape") { event.preventDefault(); close(true); }
  };
  input.onblur = () => { if (!take(false)) close(false); };
  changed();
}

// Each matrix stands level with what it is made of, where there is room for that.
function align(section) {
  const columns = $$(".board > .col", section);
  for (const figure of $$(".board .m", section)) figure.style.marginBlockStart = "";
  if (document.documentElement.classList.contains("narrow") || columns.length < 2) return;
  const nearest = (id) => (board.has(id) ? [id] : (by.get(id)?.in ?? []).flatMap(nearest));
  const area = $(".board", section).getBoundingClientRect();
  const middle = (box) => (box.top + box.bottom) / 2;
  for (const column of columns.slice(1)) {
    const all = [...column.children].map((figure) => ({ figure, box: figure.getBoundingClientRect() }));
    const gap = parseFloat(getComputedStyle(column).rowGap);
    let below = all.reduce((sum, one) => sum + one.box.height + gap, -gap), end = area.top;
    for (const { figure, box } of all) {
      const from = (by.get(figure.dataset.node)?.in ?? []).flatMap(nearest)
        .filter((id) => !column.contains(board.get(id)) && board.get(id).closest(".board"));
      const wanted = from.length ? middle(board.get(from.at(-1)).getBoundingClientRect()) - box.height / 2 : end;
      const top = Math.max(end, Math.min(wanted, area.bottom - below));
      figure.style.marginBlockStart = `${top - end}px`;
      end = top + box.height + gap;
      below -= box.height + gap;
    }
  }
}

// Lines from a matrix to the one that is made of it, where that stands in the next column.
function wires(section) {
  const area = $(".board", section);
  $(".wires", section)?.remove();
  if (!area || document.documentElement.classList.contains("narrow")) return;
  const columns = $$(".col", area), svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "wires");
  svg.setAttribute("aria-hidden", "true");
  area.append(svg);
  const o = svg.getBoundingClientRect(), rem = parseFloat(getComputedStyle(area).fontSize);
  const box = (id) => {
    const r = $("tbody", board.get(id)).getBoundingClientRect();
    return { left: r.left - o.left, right: r.right - o.left, y: (r.top + r.bottom) / 2 - o.top };
  };
  const column = (id) => columns.findIndex((c) => c.contains(board.get(id)));
  const nearest = (id) => (board.has(id) ? [id] : (by.get(id).in ?? []).flatMap(nearest));
  const clear = (s, e) => ![...board].some(([, figure]) => {
    const r = figure.getBoundingClientRect(), y = s.y + o.top;
    return r.left - o.left > s.right && r.right - o.left < e.left && r.top < y && r.bottom > y;
  });
  const paths = [];
  for (const [id] of board) {
    const to = column(id);
    if (to < 1) continue;
    for (const from of new Set((by.get(id).in ?? []).flatMap(nearest))) {
      const s = box(from), e = box(id);
      if (column(from) < 0 || column(from) >= to || !clear(s, e)) continue;
      const [x1, x2] = [s.right + 6, e.left - 5], d = e.y - s.y;
      const c = Math.min(rem * 0.4, Math.abs(d) / 2), g = Math.sign(d), mid = x2 - rem * 0.45;
      paths.push(`<path data-from="${from}" data-to="${id}" d="${Math.abs(d) < 3 ? `M${x1} ${e.y}H${x2}`
        : `M${x1} ${s.y}H${mid - c}Q${mid} ${s.y} ${mid} ${s.y + g * c}V${e.y - g * c}Q${mid} ${e.y} ${mid + c} ${e.y}H${x2}`}"/>`);
    }
  }
  svg.innerHTML = paths.join("");
}

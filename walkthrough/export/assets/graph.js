// What each operation computes, and from which places; the lesson's graph, computed again.

const each = (a, f) => a.map((row, i) => row.map((x, j) => f(x, i, j)));
const TIMES = '<span class="x">×</span>';
const ROOT = (n) => `<math><msqrt><mn>${n}</mn></msqrt></math>`;

// run: the values, from those of the inputs. terms: [{html, from: [[input, row, column], ...]}].
// through: for an operation that only copies, the one place a number comes from.
const OPS = {
  matmul: {
    run: (n, [a, b]) => a.map((row) => b[0].map((_, j) => row.reduce((s, x, k) => s + x * b[k][j], 0))),
    terms: (n, [a, b], i, j) => a[i].map((x, k) => ({
      html: `${factor(x)}${TIMES}${factor(b[k][j])}`, from: [[0, i, k], [1, k, j]],
    })),
  },
  scale: {
    run: (n, [a]) => each(a, (x) => x / Math.sqrt(n.root)),
    terms: (n, [a], i, j) => [{ html: `${number(a[i][j])} / ${ROOT(n.root)}`, from: [[0, i, j]] }],
  },
  mask: {
    run: (n, [a, m]) => each(a, (x, i, j) => (m[i][j] < 0 ? -Infinity : x)),
    terms: (n, [a, m], i, j) => [
      { html: number(a[i][j]), from: [[0, i, j]] }, { html: number(m[i][j]), from: [[1, i, j]] },
    ],
  },
  exp: {
    run: (n, [a]) => each(a, Math.exp),
    terms: (n, [a], i, j) => [{ html: `e<sup>${number(a[i][j])}</sup>`, from: [[0, i, j]] }],
    text: power,
  },
  rowsum: {
    run: (n, [a]) => a.map((row) => [row.reduce((s, x) => s + x, 0)]),
    terms: (n, [a], i) => a[i].map((x, k) => ({ html: power(x), from: [[0, i, k]] })),
    text: power,
  },
  rowmax: {
    run: (n, [a]) => a.map((row) => [Math.max(...row)]),
    terms: (n, [a], i) => [{
      html: `max(${a[i].map(number).join(", ")})`, from: a[i].map((_, k) => [0, i, k]),
    }],
  },
  subtract: {
    run: (n, [a, b]) => each(a, (x, i) => x - (b[i][0] === -Infinity ? 0 : b[i][0])),
    terms: (n, [a, b], i, j) => [{
      html: `${number(a[i][j])} − ${factor(b[i][0])}`, from: [[0, i, j], [1, i, 0]],
    }],
  },
  divide: {
    // Where e^s leaves the range of the numbers, the shares are still what softmax says.
    run: (n, [a, b]) => each(a, (x, i, j) => {
      const powers = by.get(n.in[0]);
      if (Number.isFinite(b[i][0]) && b[i][0] > 0) return x / b[i][0];
      if (powers.op !== "exp") return b[i][0] ? x / b[i][0] : 0;
      const row = value.get(powers.in[0])[i], top = Math.max(...row);
      if (top === -Infinity) return 0;
      return Math.exp(row[j] - top) / row.reduce((s, y) => s + Math.exp(y - top), 0);
    }),
    terms: (n, [a, b], i, j) => [{
      html: `${power(a[i][j])} / ${power(b[i][0])}`, from: [[0, i, j], [1, i, 0]],
    }],
  },
  transpose: { through: (n, ins, i, j) => [0, j, i], size: ([a]) => [a[0].length, a.length] },
  rows: { through: (n, ins, i, j) => [0, n.pick[0][i], j], size: ([a], n) => [n.pick[0].length, a[0].length] },
  slice: {
    through: (n, ins, i, j) => [0, n.pick[0][i], n.pick[1][j]],
    size: (ins, n) => n.pick.map((some) => some.length),
  },
  concat: {
    through(n, ins, i, j) {
      let which = 0, at = n.axis ? j : i;
      const length = (a) => (n.axis ? a[0].length : a.length);
      while (at >= length(ins[which])) at -= length(ins[which++]);
      return n.axis ? [which, i, at] : [which, at, j];
    },
    size: (ins, n) => {
      const sum = (f) => ins.reduce((s, a) => s + f(a), 0);
      return n.axis ? [ins[0].length, sum((a) => a[0].length)] : [sum((a) => a.length), ins[0][0].length];
    },
  },
};
for (const op of Object.values(OPS)) {
  op.run ??= (n, ins) => {
    const [rows, columns] = op.size(ins, n);
    return Array.from({ length: rows }, (_, i) => Array.from({ length: columns }, (_, j) => {
      const [w, a, b] = op.through(n, ins, i, j);
      return ins[w][a][b];
    }));
  };
}

const nodes = data.nodes;
const by = new Map(nodes.map((n) => [n.id, n]));
for (const n of nodes) n.value = each(n.value, unpack);
const value = new Map(nodes.map((n) => [n.id, n.value])); // now
const edited = new Map(); // given matrices with numbers of the reader's
const stale = new Set(); // what may depend on a changed number in a way that nobody recorded

const inputs = (n) => (n.in ?? []).map((id) => value.get(id));

// Every matrix anew, in the order of the list: each stands behind what it is made of.
function compute() {
  stale.clear();
  for (const n of nodes) {
    if (n.op === "given") value.set(n.id, edited.get(n.id) ?? n.value);
    else if (n.op === null || n.in.some((id) => stale.has(id))) {
      value.set(n.id, n.value);
      if (edited.size) stale.add(n.id);
    } else value.set(n.id, OPS[n.op].run(n, inputs(n)));
  }
}

const label = (n, axis, at) => n[axis]?.[at] ?? String(at + 1);
const entryName = (n, i, j) => {
  const head = n.op === "rowsum" || n.op === "rowmax" ? "" : `[${label(n, "cols", j)}]`;
  return `${n.name ?? ""}[${label(n, "rows", i)}]${head}`;
};
const textOf = (n, x) => (OPS[n.op]?.text ?? number)(x);

// The given number that a place is, through rows and slices: [id, row, column], if it can be changed.
function origin(id, i, j) {
  const n = by.get(id);
  if (n.op === "given") return n.edit ? [id, i, j] : null;
  if (n.op !== "rows" && n.op !== "slice" && n.op !== "transpose") return null;
  const [w, a, b] = OPS[n.op].through(n, inputs(n), i, j);
  return origin(n.in[w], a, b);
}

// The places on the board that a place stands for, through what is not on it.
function seen(id, i, j, board) {
  if (board.has(id)) return [[id, i, j]];
  const n = by.get(id), op = OPS[n.op];
  if (!op) return [];
  if (op.through) {
    const [w, a, b] = op.through(n, inputs(n), i, j);
    return seen(n.in[w], a, b, board);
  }
  return op.terms(n, inputs(n), i, j).flatMap((t) => t.from.flatMap(([w, a, b]) => seen(n.in[w], a, b, board)));
}

// How an entry came to be: its terms, each with the places of its numbers; null where it is given.
function entry(id, i, j, board) {
  let n = by.get(id), key = `why.${n.op}`;
  const shown = n, name = entryName(n, i, j), [row, col] = [label(n, "rows", i), label(n, "cols", j)];
  let at = [id, i, j];
  if (n.op === "given" || n.op === null || n.op === "rows") return null;
  while (OPS[n.op]?.through) {
    const [w, a, b] = OPS[n.op].through(n, inputs(n), at[1], at[2]);
    at = [n.in[w], a, b];
    n = by.get(at[0]);
    key = shown.op === "concat" && !shown.axis ? "why.stored" : "why.copy";
    if (board.has(at[0]) || !OPS[n.op] || n.op === "rows") {
      const arrived = shown.new?.includes(i) || (shown.op === "concat" && board.has(at[0]));
      const html_ = n.name ? html(entryName(n, at[1], at[2])) : number(value.get(at[0])[at[1]][at[2]]);
      const why = say(arrived && n.name ? "why.arrived" : n.name ? "why.copy" : key, { a: n.name, row, col });
      return done([{ html: html_, from: seen(...at, board) }], why);
    }
  }
  const ins = inputs(n), named = (k) => naming(n.in[k]);
  const terms = OPS[n.op].terms(n, ins, at[1], at[2])
    .map((t) => ({ html: t.html, from: t.from.flatMap(([w, a, b]) => seen(n.in[w], a, b, board)) }));
  if (n.op === "matmul" && by.get(n.in[1]).op === "transpose" && shown === n) key = "why.matmulT";
  const why = say(key, { row, col, root: n.root, a: named(0), b: named(1) });
  return done(terms, why);

  function done(terms_, why) {
    return { node: shown, i, j, name, terms: terms_, why, math: shown.math ?? "", result: textOf(shown, value.get(id)[i][j]) };
  }
}

// What an input is called: its own name, or the one of what it was copied from.
function naming(id) {
  const n = by.get(id);
  return n ? n.name ?? (n.in ? naming(n.in[0]) : "") : "";
}

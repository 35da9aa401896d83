// Numbers as the lessons print them (display/table.py), and as a reader types them.

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const data = JSON.parse($("#lesson").textContent);
const places = data.precision;
const say = (key, fields = {}) =>
  data.words[key].replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
const html = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Python rounds a tie to the even digit, toFixed upwards: only an odd multiple of 1/2^(p+1) is one.
function fixed(x, p) {
  const n = Math.abs(x) * 2 ** (p + 1);
  if (!Number.isInteger(n) || n % 2 !== 1) return x.toFixed(p);
  const low = (BigInt(n) * 5n ** BigInt(p) - 1n) / 2n; // in units of the last digit
  const digits = String(low % 2n ? low + 1n : low).padStart(p + 1, "0");
  return `${x < 0 ? "-" : ""}${digits.slice(0, -p || undefined)}${p ? `.${digits.slice(-p)}` : ""}`;
}

function even(x) {
  const near = Math.round(x);
  return Math.abs(x % 1) === 0.5 && near % 2 ? near - 1 : near;
}

// 1.5e+9 as Python writes it: at least two digits behind the e.
const scientific = (x) => x.toExponential(places).replace(/e([+-])(\d)$/, "e$10$2");

function number(x) {
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
  if (Math.abs(x) >= 1e15) return scientific(x);
  let text = fixed(x, places);
  if (Number(text) === 0) text = text.replace("-", "");
  const nearest = even(x);
  const whole = fixed(nearest, places).replace(/^-(?=0(\.0*)?$)/, "");
  if (Math.abs(x - nearest) <= 10 ** -(places + 5) * Math.max(1, Math.abs(x)) && text === whole) {
    text = String(nearest || 0);
  }
  const [front, back] = text.split(".");
  const grouped = front.replace(/\B(?=(\d{3})+$)/g, ",");
  return back === undefined ? grouped : `${grouped}.${back}`;
}

// As it stands in a sum: a negative number in brackets, a tiny power of e with its exponent.
const factor = (x) => (number(x).startsWith("-") ? `(${number(x)})` : number(x));
const power = (x) => (x > 0 && x < 0.5 * 10 ** -places ? scientific(x) : number(x));

// [what is wrong, or "", the number]
function parse(text) {
  const typed = text.trim().replace("−", "-");
  if (!typed) return [say("error.empty")];
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(typed)) return [say("error.number", { text })];
  const x = Number(typed);
  return Number.isFinite(x) ? ["", x] : [say("error.large", { text })];
}

const unpack = (x) => ({ nan: NaN, "∞": Infinity, "-∞": -Infinity })[x] ?? x;

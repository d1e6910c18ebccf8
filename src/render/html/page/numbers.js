// Counts and how they are written. Everything here is a function of its arguments.

// Counts above 2^53 keep their digits; equal ones are the same object. Everything else takes them
// as rounded numbers.
class Exact extends Number {
  constructor(digits) {
    super(digits);
    this.digits = digits;
  }
}

const exactCounts = new Map();
const exactly = (digits) =>
  exactCounts.get(digits) || exactCounts.set(digits, new Exact(digits)).get(digits);

const counted = (key, value, context) =>
  typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && context
    ? exactly(context.source)
    : value;

// Whether a number has 16 digits or more. Names of functions may be addresses.
const hasLargeNumber = (json) => /[[:,]-?\d{16}/.test(json);

// A large number is read in another, slower way.
const parse = (json) => JSON.parse(json, hasLargeNumber(json) ? counted : undefined);
const big = (n) => BigInt(n instanceof Exact ? n.digits : n);
const isWholeNumber = (n) => n instanceof Exact || Number.isSafeInteger(n);

// The sum or the difference of counts.
function plus(first, second, sign = 1) {
  const [a, b] = [first || 0, second || 0];
  const rounded = a + sign * b;
  const isSafe = Number.isSafeInteger(rounded) || !isWholeNumber(a) || !isWholeNumber(b);

  if (isSafe && !(a instanceof Exact || b instanceof Exact)) {
    return rounded;
  }
  const whole = big(a) + BigInt(sign) * big(b);
  const short = Number(whole);

  return Number.isSafeInteger(short) ? short : exactly(String(whole));
}

const { format } = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const count = (n) => (n == null ? "." : format(n instanceof Exact ? big(n) : n));
const { format: inHundredths } = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const functions = (n) => count(n) + (n === 1 ? " function" : " functions");

// An estimated cost has a mark before its percentage.
const shareOf = (n, of, isEstimated) =>
  n == null || !of ? "." : (isEstimated ? "~" : "") + ((100 * n) / of).toFixed(2) + "%";

const delta = (now, was) => plus(now, was, -1);
const signed = (n) => (n > 0 ? "+" : "") + count(n);

// The class of a change.
function worse(n) {
  if (!n) {
    return "dim";
  }
  return n > 0 ? "up" : "down";
}

// How many decimals a percentage has.
function decimalsOf(size) {
  if (size < 0.1) {
    return 2;
  }
  return size < 5000 ? 1 : 0;
}

// The change in percent of what was; small ones have more decimals.
function percent(now, was) {
  if (!was) {
    return now ? "new" : ".";
  }
  if (now == null) {
    return "gone";
  }
  if (now === was) {
    return ".";
  }
  const change = (100 * (now - was)) / Math.abs(was);
  const size = Math.abs(change);

  if (size < 0.005) {
    return change > 0 ? "+<0.01%" : "-<0.01%";
  }
  return (change > 0 ? "+" : "") + change.toFixed(decimalsOf(size)) + "%";
}

const sum = (list, get) => list.reduce((n, x) => plus(n, get(x)), 0);
const largestOf = (list, get) => list.reduce((n, x) => Math.max(n, get(x) || 0), 1);
const firstLetterUp = (said) => said.slice(0, 1).toUpperCase() + said.slice(1);
const joined = (list, by) => list.filter(Boolean).join(by);

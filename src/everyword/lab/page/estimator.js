// Tokens of a text by a rule of thumb, not any vendor's tokenizer. Twin of WordsCounter in text/tokens.py.

const CJK =
  "\\u1100-\\u11ff\\u3400-\\u9fff\\uac00-\\ud7ff\\uf900-\\ufaff" + // Han and hangul in whole rows
  "\\u2e80-\\u2fdf\\u3005\\u3007\\u3021-\\u3029\\u3038-\\u303b" + // Han among punctuation
  "\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff\\u31f0-\\u31ff\\uff66-\\uff9f" + // kana
  "\\u3131-\\u318e\\ua960-\\ua97f\\uffa0-\\uffdc" + // hangul
  "\\u{20000}-\\u{3ffff}\\u{1b000}-\\u{1b16f}";
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const PARTS = new RegExp(
  `(?<cjk>[${CJK}]+)|(?<digits>\\p{Nd}+)|(?<word>(?:(?![${CJK}])[\\p{L}\\p{Nl}\\p{No}])+)` +
    `|(?<marks>[^\\p{L}\\p{N}${SPACE}]+)`,
  "gu",
);

// A Han, kana or hangul character 1; a word of other letters 1; a run of digits 1 for every 3, rounded up; any other
// mark 0.25; spaces nothing.
export function measure(text) {
  let sum = 0;
  for (const { groups } of text.matchAll(PARTS)) sum += partTokens(groups);
  return sum;
}

function partTokens({ cjk, digits, word, marks }) {
  if (cjk) return [...cjk].length;
  if (digits) return Math.ceil([...digits].length / 3);
  return word ? 1 : [...marks].length * 0.25;
}

// The measure rounded to the nearest integer, halves up.
export function count(text) {
  return Math.floor(measure(text) + 0.5);
}

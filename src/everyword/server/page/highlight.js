// Which words of a text a search was about, and the part of a long text that has them.

const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+/gu;
const HAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const QUIET = new Set(
  "a an and are as at be been but by can did do does for from had has have how i if in into is it its me my of on or our so that the their them then there these they this to was we were what when where which who why will with would you your 的 了 是 我 你 他 她 嗎 吗 呢 在 有 和 什麼 什么 哪裡 哪里 誰 谁".split(
    " ",
  ),
);

// What is looked for: word beginnings, and pairs of characters where no spaces divide words.
export function needles(query) {
  const found = new Set();
  for (const [word] of query.toLowerCase().matchAll(WORDS)) {
    if (HAN.test(word)) for (const pair of pairs(word)) found.add(pair);
    else if (!QUIET.has(word)) found.add(stem(word));
  }
  return [...found].filter((each) => each && !QUIET.has(each));
}

function pairs(word) {
  const characters = Array.from(word);
  return characters.length < 3 ? [word] : characters.slice(1).map((character, at) => characters[at] + character);
}

// A word without its ending, so that "coins" also marks "coin".
function stem(word) {
  return word.length > 4 ? word.replace(/(ings?|edly|ed|ies|es|s|ly|y)$/u, "") : word;
}

// [start, stop] of each place, in order and apart from each other.
export function places(text, sought) {
  const spans = [];
  for (const match of text.matchAll(WORDS)) {
    const word = match[0].toLowerCase();
    if (word.length !== match[0].length) continue; // a letter whose small form is longer: its place is not known
    if (HAN.test(word)) spans.push(...inside(word, match.index, sought));
    else if (sought.some((each) => begins(word, each))) spans.push([match.index, match.index + word.length]);
  }
  return joined(spans);
}

function begins(word, needle) {
  return word === needle || (needle.length > 2 && word.startsWith(needle) && word.length - needle.length <= 4);
}

function inside(word, offset, sought) {
  const spans = [];
  for (const needle of sought)
    for (let at = word.indexOf(needle); at >= 0; at = word.indexOf(needle, at + 1))
      spans.push([offset + at, offset + at + needle.length]);
  return spans;
}

function joined(spans) {
  const apart = [];
  for (const [start, stop] of spans.sort((one, other) => one[0] - other[0])) {
    const last = apart.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], stop);
    else apart.push([start, stop]);
  }
  return apart;
}

// Nodes of a text in which the places are marked.
export function marked(text, spans) {
  const nodes = [];
  let at = 0;
  for (const [start, stop] of spans) {
    const mark = document.createElement("mark");
    mark.textContent = text.slice(start, stop);
    nodes.push(text.slice(at, start), mark);
    at = stop;
  }
  return [...nodes, text.slice(at)].filter((node) => node !== "");
}

// The part of a text around its first places, whole words at both ends.
export function excerpt(text, sought, most = 180) {
  const first = places(text, sought)[0]?.[0] ?? 0;
  let start = Math.max(0, Math.min(first - Math.floor(most / 4), text.length - most));
  if (start > 0) start = Math.max(start, text.indexOf(" ", start) + 1 <= first ? text.indexOf(" ", start) + 1 : start);
  if (start > 0 && /[\udc00-\udfff]/.test(text[start])) start += 1;
  let stop = Math.min(text.length, start + most);
  if (/[\ud800-\udbff]/.test(text[stop - 1] ?? "")) stop -= 1;
  return `${start > 0 ? "…" : ""}${text.slice(start, stop)}${stop < text.length ? "…" : ""}`;
}

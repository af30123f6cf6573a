// What each strategy sends at each turn, what is left of the facts, and what it costs. Twin of engine.py.
//
// A request at turn n carries a system prompt of 180 tokens and what the strategy makes of the messages of n turns:
//   truncate   the newest messages that fit in the window
//   summary    the newest messages as they are, all older ones at a ratio of their tokens; an ideal summary, which
//              loses no fact; as few are compressed as make it fit
//   full       every message, or an error

import { count } from "./estimator.js";

export const STRATEGIES = ["truncate", "summary", "full"];
export const OVERHEAD = 180;
const MILLION = 1000000;

// ---- the conversation ----

// Messages with their tokens, sums over them, and facts with their places, from a document like script.json.
export function prepare(document) {
  const messages = document.messages.map((said) => ({ ...said, tokens: count(said.text) }));
  const turns = messages.at(-1).turn;
  return {
    ...document,
    messages,
    turns,
    facts: document.facts.map((fact) => withPlace(fact, messages)),
    sums: accumulate(messages, 0, (sum, said) => sum + said.tokens),
    longest: accumulate(messages, 0, (most, said) => Math.max(most, said.tokens)),
    ends: endsOfTurns(messages, turns),
  };
}

function withPlace(fact, messages) {
  const said = (message) => message.turn === fact.turn && message.role === "user";
  return { ...fact, position: fact.position ?? messages.findIndex(said), pinnedTokens: count(fact.text) };
}

function accumulate(messages, start, step) {
  const values = [start];
  for (const said of messages) values.push(step(values.at(-1), said));
  return values;
}

// How many messages there are when turn n is over, at place n.
function endsOfTurns(messages, turns) {
  const ends = new Array(turns + 1).fill(0);
  messages.forEach((said, position) => (ends[said.turn] = position + 1));
  for (let turn = 1; turn <= turns; turn++) ends[turn] = Math.max(ends[turn], ends[turn - 1]);
  return ends;
}

// ---- requests ----

// The request of each turn, the first one first.
export function requests(talk, settings) {
  const sent = [];
  for (let turn = 1; turn <= settings.turns; turn++) sent.push(requestAt(talk, settings, turn, sent.at(-1)));
  return sent;
}

// The request of a turn; what did not fit at the turn before does not fit now.
function requestAt(talk, settings, turn, before) {
  const end = talk.ends[turn];
  const pinned = pinnedAt(talk, settings, turn);
  const base = OVERHEAD + pinned + talk.sums[end];
  let first = before ? before.first : 0;
  while (settings.strategy !== "full" && first < end && base + savedBy(talk, settings, first) > settings.window)
    first++;
  const tokens = base + savedBy(talk, settings, first);
  const cached = before ? repeated(before, first, pinned) : 0;
  return { first, pinned, summary: summaryOf(talk, settings, first), tokens, cached };
}

// What is added, mostly less than nothing, where the messages before `first` are not sent as they are.
function savedBy(talk, settings, first) {
  return summaryOf(talk, settings, first) - talk.sums[first];
}

function summaryOf(talk, settings, first) {
  return settings.strategy === "summary" ? Math.floor(settings.ratio * talk.sums[first] + 0.5) : 0;
}

function pinnedAt(talk, settings, turn) {
  if (!settings.pinned) return 0;
  return total(saidBy(talk, turn), (fact) => fact.pinnedTokens);
}

// How much of a request repeats the one before: all of that one, or its system prompt, or part of that.
function repeated(before, first, pinned) {
  if (pinned !== before.pinned) return OVERHEAD;
  return first === before.first ? before.tokens : OVERHEAD + pinned;
}

// ---- results ----

export function run(talk, settings) {
  const sent = requests(talk, settings);
  const last = sent.at(-1);
  const needed = neededAt(talk, settings.turns, last);
  const overflow = needed > settings.window;
  const said = saidBy(talk, settings.turns);
  const kept = overflow ? [] : said.filter((fact) => isSent(fact, settings, last));
  const cut = { truncate: 0, summary: 0, [settings.strategy]: last.first };
  return {
    ...settings,
    inputTokens: last.tokens,
    cumulativeTokens: total(sent, (request) => request.tokens),
    recall: shareOf(talk, kept),
    keptFacts: kept.map(named),
    droppedFacts: said.filter((fact) => !kept.includes(fact)).map(named),
    cost: costOf(sent, settings),
    singleCost: costOf([last], settings),
    overflow,
    probeBlocked: overflow,
    error: overflow ? errorOf(needed, settings.window) : null,
    untouchedFrom: last.first,
    droppedMessages: cut.truncate,
    compressedMessages: cut.summary,
    summaryTokens: last.summary,
    pinnedTokens: last.pinned,
    cachedTokens: last.cached,
    capacityTurns: capacityOf(talk, settings),
  };
}

function saidBy(talk, turn) {
  return talk.facts.filter((fact) => fact.turn <= turn);
}

function isSent(fact, settings, request) {
  return settings.strategy !== "truncate" || settings.pinned || fact.position >= request.first;
}

// Facts kept, of all facts of the conversation.
function shareOf(talk, kept) {
  return talk.facts.length ? kept.length / talk.facts.length : 0;
}

// Tokens that the window must have: of the request, or of its longest message alone with the system prompt.
function neededAt(talk, turn, request) {
  return Math.max(request.tokens, OVERHEAD + request.pinned + talk.longest[talk.ends[turn]]);
}

// The text is the one that providers' errors are known by; the card says it in the language of the page.
function errorOf(tokens, window) {
  return {
    code: "context_length_exceeded",
    tokens,
    window,
    excess: tokens - window,
    message: `context_length_exceeded:当前 ${grouped(tokens)} tokens 超过窗口 ${grouped(window)}`,
  };
}

// US dollars for all these requests.
function costOf(sent, settings) {
  const tokens = total(sent, (request) => request.tokens);
  if (settings.cachedPrice === null) return (tokens * settings.price) / MILLION;
  const cached = total(sent, (request) => request.cached);
  return ((tokens - cached) * settings.price + cached * settings.cachedPrice) / MILLION;
}

// The most turns that fit in the window whole.
function capacityOf(talk, settings) {
  for (let turn = 1; turn <= talk.turns; turn++) {
    if (wholeAt(talk, settings, turn) > settings.window) return turn - 1;
  }
  return talk.turns;
}

function wholeAt(talk, settings, turn) {
  return OVERHEAD + pinnedAt(talk, settings, turn) + talk.sums[talk.ends[turn]];
}

// Tokens, cumulative cost and recall at every turn of the conversation.
export function series(talk, settings) {
  const sent = requests(talk, { ...settings, turns: talk.turns });
  let cost = 0;
  return sent.map((request, index) => {
    const overflow = neededAt(talk, index + 1, request) > settings.window;
    const kept = overflow ? [] : saidBy(talk, index + 1).filter((fact) => isSent(fact, settings, request));
    cost += costOf([request], settings);
    return { turn: index + 1, tokens: request.tokens, cost, recall: shareOf(talk, kept), overflow };
  });
}

function named({ turn, label }) {
  return { turn, label };
}

function total(items, of) {
  return items.reduce((sum, item) => sum + of(item), 0);
}

export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

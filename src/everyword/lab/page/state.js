// What is set, what comes of it, and the last result that could be sent.

import { STRATEGIES, run } from "./engine.js";
import { K, repairs } from "./repairs.js";

const FEWEST_TURNS = 10;
const WIDEST = 128 * K;

// The ends of every slider and field for a conversation; a long one of one's own may need more than 128K.
export function limits(talk) {
  const whole = K * Math.ceil(run(talk, { ...plain(talk), strategy: "full", pinned: true }).inputTokens / K);
  return {
    window: [K, Math.max(WIDEST, whole)],
    turns: [Math.min(FEWEST_TURNS, talk.turns), talk.turns],
    ratio: [0.1, 0.5],
    price: [0, 1000],
  };
}

function plain(talk) {
  return {
    strategy: "truncate",
    window: 32 * K,
    turns: talk.turns,
    ratio: 0.3,
    price: 2.5,
    cachedPrice: null,
    pinned: false,
  };
}

// Settings to start with; the window is wide enough for the longest message.
export function defaults(talk) {
  const settings = plain(talk);
  const { strategy, window, ratio } = repairs(talk, run(talk, settings), settings)[0] ?? settings;
  return { ...settings, strategy, window, ratio };
}

// Wanted settings, each within its limits; what is no number stays as it was. A ratio above 1 is a percentage.
export function clamp(talk, wanted, before = defaults(talk)) {
  const ends = limits(talk);
  const number = (name, value) => within(ends[name], value, before[name]);
  const { strategy, window, turns, ratio, price, cachedPrice, pinned } = { ...before, ...wanted };
  return {
    strategy: STRATEGIES.includes(strategy) ? strategy : before.strategy,
    window: Math.round(number("window", window)),
    turns: Math.round(number("turns", turns)),
    ratio: number("ratio", Number(ratio) > 1 ? Number(ratio) / 100 : ratio),
    price: number("price", price),
    cachedPrice:
      cachedPrice === null || cachedPrice === "" ? null : within(ends.price, cachedPrice, before.cachedPrice),
    pinned: Boolean(pinned),
  };
}

function within([least, most], value, before) {
  const number = typeof value === "string" && !value.trim() ? NaN : Number(value);
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : before;
}

// ---- states ----

function stateOf(talk, settings, good) {
  const result = run(talk, settings);
  return { settings, result, good: result.overflow ? good : { settings, result } };
}

export function start(talk) {
  return stateOf(talk, defaults(talk), null);
}

export function change(talk, state, wanted) {
  return stateOf(talk, clamp(talk, wanted, state.settings), state.good);
}

export function reset(talk) {
  return start(talk);
}

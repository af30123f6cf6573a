// Nine assertions about the engine, on a small conversation whose figures were worked out by hand, and on the one shown.

import { OVERHEAD, prepare, run } from "./engine.js";
import { change, reset, start } from "./state.js";

// Twelve turns of 10 and 30 tokens; facts in turns 1, 4, 9 and 12.
export function sample() {
  const turns = Array.from({ length: 12 }, (_, index) => index + 1);
  const facts = [1, 4, 9, 12].map((turn) => ({
    turn,
    label: `${turn}`,
    text: "字".repeat(5),
    probe: "?",
    keys: ["字"],
  }));
  const messages = turns.flatMap((turn) => [
    { turn, role: "user", text: "字".repeat(10) },
    { turn, role: "assistant", text: "字".repeat(30) },
  ]);
  return prepare({ language: "zh", title: "", messages, facts });
}

const SETTINGS = {
  strategy: "truncate",
  window: 400,
  turns: 12,
  ratio: 0.5,
  price: 2.5,
  cachedPrice: null,
  pinned: false,
};

// name -> whether it holds. `of(changes)` runs the sample; `shown(changes)` runs the conversation of the page.
const ASSERTIONS = {
  // 400 - 180 = 220 tokens hold five turns of 40 whole; 259 - 180 = 79 hold one.
  capacity: ({ of }) => of({}).capacityTurns === 5 && of({ window: 259 }).capacityTurns === 1,
  // 230 tokens hold the last 11 messages, 229 the last 10; 40 hold turn 9 of 9, fact included.
  order: ({ of }) =>
    of({ window: 410 }).untouchedFrom === 13 &&
    of({ window: 410 }).inputTokens === 410 &&
    of({ window: 409 }).untouchedFrom === 14 &&
    turnsOf(of({}).keptFacts) === "9,12" &&
    turnsOf(of({}).droppedFacts) === "1,4" &&
    turnsOf(of({ turns: 9, window: 220 }).keptFacts) === "9",
  // 22 messages of 440 tokens make a summary of 220, and 180 + 220 + 40 = 440; with 21 it would be 455.
  summary: ({ of }) =>
    of({ strategy: "summary", window: 440 }).inputTokens === 440 &&
    of({ strategy: "summary", window: 454 }).compressedMessages === 22 &&
    turnsOf(of({ strategy: "summary", window: 440 }).keptFacts) === "1,4,9,12",
  // The fact of turn 12 is not said yet at turn 10, and still counts.
  recall: ({ of, shown }) =>
    [of({ turns: 10 }), of({})].every((result) => result.recall === result.keptFacts.length / 4) &&
    shown({}).recall >= 0 &&
    shown({}).recall <= 1,
  cumulative: ({ of, shown }) =>
    of({ strategy: "full" }).cumulativeTokens === 12 * OVERHEAD + 40 * 78 &&
    [of, shown].every((each) => each({}).cumulativeTokens === sumOfSingles(each, {})),
  cost: ({ of, shown }) =>
    of({ strategy: "full", price: 3 }).singleCost === (660 * 3) / 1000000 &&
    [of, shown].every((each) => isNear(each({}).cost, (sumOfSingles(each, {}) * 2.5) / 1000000)),
  error: ({ of }) =>
    of({ strategy: "full", window: 660 }).error === null &&
    of({ strategy: "full", window: 600 }).error?.message === "context_length_exceeded:当前 660 tokens 超过窗口 600" &&
    of({ strategy: "full", window: 600 }).error?.excess === 60 &&
    of({ window: 200 }).error?.tokens === 210,
  protection: ({ of }) =>
    [of({ strategy: "full" }), of({ window: 200 })].every(
      (result) => result.probeBlocked && result.recall === 0 && result.keptFacts.length === 0,
    ),
  reset: ({ talk }) => {
    const first = start(talk);
    const changed = change(talk, first, { strategy: "full", window: 1024, turns: 10, ratio: 0.5, price: 9 });
    return JSON.stringify(changed) !== JSON.stringify(first) && JSON.stringify(reset(talk)) === JSON.stringify(first);
  },
};

export const NAMES = Object.keys(ASSERTIONS);

export function selfTest(shownTalk) {
  const talk = sample();
  const of = (changes) => run(talk, { ...SETTINGS, ...changes });
  const few = Math.min(12, shownTalk.turns);
  const shown = (changes) => run(shownTalk, { ...SETTINGS, window: 4096, turns: few, ...changes });
  const failures = NAMES.filter((name) => !holds(ASSERTIONS[name], { talk, of, shown }));
  return { pass: NAMES.length - failures.length, total: NAMES.length, failures };
}

function holds(assertion, world) {
  try {
    return assertion(world);
  } catch {
    return false;
  }
}

function sumOfSingles(each, changes) {
  let sum = 0;
  for (let turn = 1; turn <= each(changes).turns; turn++) sum += each({ ...changes, turns: turn }).inputTokens;
  return sum;
}

function isNear(value, expected) {
  return Math.abs(value - expected) < 1e-9;
}

function turnsOf(facts) {
  return facts.map((fact) => fact.turn).join();
}

// Ways out of a request that does not fit. Twin of repairs.py.

import { run } from "./engine.js";

export const K = 1024;
const LOWEST_PERCENT = 10;

// Three changes of the settings, none where there is no error: a wider window; a summary, at a lower ratio where there
// is one already; truncation. The window grows to whole K where the change alone does not do.
export function repairs(talk, result, settings) {
  if (!result.overflow) return [];
  return [
    { name: "window", ...widened(talk, settings, settings) },
    { name: "summary", ...widened(talk, settings, summarised(talk, settings)) },
    { name: "truncate", ...widened(talk, settings, { ...settings, strategy: "truncate" }) },
  ];
}

function widened(talk, settings, { strategy, ratio }) {
  const tried = run(talk, { ...settings, strategy, ratio });
  const window = tried.overflow ? K * Math.ceil(tried.error.tokens / K) : settings.window;
  return { strategy, window, ratio };
}

function summarised(talk, settings) {
  if (settings.strategy !== "summary") return { ...settings, strategy: "summary" };
  let tried = settings;
  for (let percent = Math.trunc(100 * settings.ratio) - 1; percent >= LOWEST_PERCENT; percent--) {
    tried = { ...settings, ratio: percent / 100 };
    if (!run(talk, tried).overflow) return tried;
  }
  return tried;
}

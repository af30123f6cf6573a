// Numbers as a person reads them.

import { grouped } from "./engine.js";

const K_TOKENS = 1024;

export function tokens(number) {
  return grouped(Math.round(number));
}

export function windowName(window) {
  return window % K_TOKENS === 0 ? `${window / K_TOKENS}K` : tokens(window);
}

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)}%`;
}

export function dollars(amount) {
  return amount.toFixed(amount < 0.1 ? 4 : 2);
}

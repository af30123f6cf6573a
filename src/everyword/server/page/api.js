// The server's own API: with the key of this tab, for the chosen user, and with errors that say what to do.

const KEY = "everyword-key";
const USER = "everyword-user";
export const WHO = "/v1/users";
export const LOCKED = "everyword-locked"; // the event of a key that opens nothing any more

// What the server refused, or that it could not be reached.
export class Problem extends Error {
  constructor(kind, message, more = {}) {
    super(message);
    this.kind = kind;
    this.status = more.status ?? 0;
    this.requestId = more.request_id ?? null;
    this.needed = more.needed ?? null;
    this.wait = more.wait ?? null;
  }
}

export function isAborted(error) {
  return error?.name === "AbortError";
}

// The key is kept as long as the tab is open, and nowhere else.
export const keptKey = () => sessionStorage.getItem(KEY);
export const keptUser = () => sessionStorage.getItem(USER);
export const keepKey = (key) => keep(KEY, key);
export const keepUser = (user) => keep(USER, user);

function keep(name, value) {
  if (value === null) sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, value);
}

export async function get(path, params = {}, options = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== null && value !== ""));
  const asked = query.size ? `${path}?${query}` : path;
  return (await answer("GET", asked, undefined, options)).json();
}

export async function post(path, body, options = {}) {
  return (await answer("POST", path, body, options)).json();
}

// A file of the server, saved by the browser: a plain link could not carry the key.
export async function save(path, name) {
  const body = await (await answer("GET", path)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(body);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function answer(method, path, body, { signal } = {}) {
  let response;
  try {
    response = await fetch(path, {
      method,
      signal,
      headers: headers(body),
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "omit",
    });
  } catch (error) {
    if (isAborted(error)) throw error;
    throw new Problem("Unreachable", String(error.message ?? error));
  }
  if (response.status === 401 && path !== WHO) dispatchEvent(new Event(LOCKED));
  if (!response.ok) throw await problemOf(response);
  return response;
}

function headers(body) {
  const sent = {};
  if (body !== undefined) sent["Content-Type"] = "application/json";
  if (keptKey() !== null) sent.Authorization = `Bearer ${keptKey()}`;
  if (keptUser() !== null) sent["X-Everyword-User"] = encodeURIComponent(keptUser());
  return sent;
}

async function problemOf(response) {
  const told = await response.json().catch(() => ({}));
  const error = told.error ?? {};
  return new Problem(error.type ?? "EverywordError", error.message ?? response.statusText, {
    ...error,
    status: response.status,
    wait: response.headers.get("Retry-After"),
  });
}

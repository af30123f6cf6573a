// Numbers, sizes and times as the reader's language writes them.

export function formats(tag) {
  const day = new Intl.DateTimeFormat(tag, { year: "numeric", month: "short", day: "numeric" });
  const minute = new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" });
  const count = new Intl.NumberFormat(tag);
  return {
    day: (text) => (text ? day.format(new Date(text)) : null),
    time: (text) => (text ? `${day.format(new Date(text))} ${minute.format(new Date(text))}` : null),
    number: (value) => count.format(value),
    score: (value) => {
      const size = Math.abs(value);
      if (size && size < 0.005) return value.toExponential(0);
      return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
    },
    size: (bytes) => sizeOf(bytes, count),
    share: (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "–"),
  };
}

function sizeOf(bytes, count) {
  const units = ["B", "KB", "MB", "GB"];
  let at = 0;
  while (bytes >= 1000 && at < units.length - 1) [bytes, at] = [bytes / 1000, at + 1];
  return `${count.format(Number(bytes.toPrecision(3)))} ${units[at]}`;
}

// The first characters of a text, cut between characters that belong together.
export function shortened(text, most) {
  const characters = Array.from(text.slice(0, most * 2 + 2));
  return characters.length > most ? `${characters.slice(0, most).join("").trimEnd()}…` : text;
}

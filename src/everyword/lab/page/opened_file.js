// A conversation of one's own from a file: a document like the lab's own, or chat messages as JSON or one to a line.

const ROLES = ["system", "developer", "user", "assistant", "tool"];

// The document of a file's text. Throws where it holds no messages.
export function documentOf(name, text) {
  const read = parsed(text);
  const items = Array.isArray(read) ? read : read.messages;
  const messages = withTurns(
    items.map(({ role, content, text: words }) => ({ role, text: words ?? wordsOf(content) })),
  );
  if (!messages.length) throw new Error("no messages");
  const facts = (read.facts ?? []).map(({ turn, label, text: fact, probe, keys }) => ({
    turn,
    label,
    text: fact,
    probe,
    keys,
  }));
  return { language: read.language ?? "", title: read.title ?? name, messages, facts };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .split("\n")
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line));
  }
}

function wordsOf(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("\n");
}

// Each message of the user but the first begins a turn.
function withTurns(messages) {
  let turn = 1;
  let hasBegun = false;
  return messages
    .filter(({ role, text }) => ROLES.includes(role) && text)
    .map((said) => {
      if (said.role === "user" && hasBegun) turn += 1;
      hasBegun ||= said.role === "user";
      return { ...said, turn };
    });
}

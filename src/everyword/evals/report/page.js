// Everything is readable without this script: it unfolds what is folded, for print too, and sifts the explained questions.
for (const button of document.querySelectorAll(".unfold")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const all = [...document.querySelectorAll("details")];
    const open = all.some((each) => !each.open);
    for (const each of all) each.open = open;
    button.textContent = open ? "Fold all" : "Unfold all";
  });
}
for (const sift of document.querySelectorAll(".sift")) {
  const label = sift.closest(".sifter");
  const groups = [...label.parentElement.querySelectorAll("details.group")];
  label.hidden = false;
  sift.addEventListener("input", () => {
    const wanted = sift.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of groups) {
      const questions = [...group.querySelectorAll("details.question")];
      for (const each of questions) {
        const words = each.querySelector("summary").textContent.toLowerCase();
        each.hidden = !wanted.every((word) => words.includes(word));
      }
      group.hidden = questions.every((each) => each.hidden);
      if (wanted.length) group.open = !group.hidden;
    }
  });
}

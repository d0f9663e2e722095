// Filters the tables of the first page. A plain script, so that it runs on pages opened from disk, too.
"use strict";

(function () {
  const form = document.getElementById("filters");
  const found = document.getElementById("found");
  const sections = [...document.querySelectorAll("section.category")];
  const plans = [...form.elements.plan.options].map((option) => option.value).slice(1);
  const boxes = [...form.querySelectorAll("input[name=agent]")];
  const rows = sections.flatMap((section) =>
    [...section.querySelectorAll("tbody tr")].map((element) => ({
      element,
      section,
      name: element.querySelector("th"),
      cells: [...element.querySelectorAll("td")],
    })),
  );

  // A plan that is not known counts as low enough.
  function fits(cell, wanted) {
    if (cell.hidden || !cell.classList.contains("available")) return false;
    const { plan, maturity } = cell.dataset;
    if (wanted.plan && plan && plans.indexOf(plan) > plans.indexOf(wanted.plan)) return false;
    return !wanted.maturity || maturity === wanted.maturity;
  }

  function isShown(row, wanted) {
    if (wanted.category && row.section.id !== wanted.category) return false;
    const marked = Boolean(wanted.plan || wanted.maturity);
    for (const cell of row.cells) cell.classList.toggle("fits", marked && fits(cell, wanted));
    if (marked && !row.cells.some((cell) => cell.classList.contains("fits"))) return false;
    const shown = [row.name, ...row.cells.filter((cell) => !cell.hidden)];
    const text = shown.map((cell) => cell.textContent).join(" ").toLowerCase();
    return wanted.words.every((word) => text.includes(word));
  }

  function filter() {
    const wanted = {
      words: form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean),
      category: form.elements.category.value,
      plan: form.elements.plan.value,
      maturity: form.elements.maturity.value,
    };
    const agents = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    for (const cell of document.querySelectorAll("section.category [data-agent]")) {
      cell.hidden = !agents.has(cell.dataset.agent);
    }
    let count = 0;
    for (const row of rows) {
      row.element.hidden = !isShown(row, wanted);
      count += row.element.hidden ? 0 : 1;
    }
    for (const section of sections) {
      section.hidden = !section.querySelector("tbody tr:not([hidden])");
    }
    found.textContent = `${count} of ${rows.length} capabilities`;
  }

  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();

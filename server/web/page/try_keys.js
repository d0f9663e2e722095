// The keys of the view Try: from the box through the candidates and back.

/**
 * Listen for keys.
 *
 * @param {Element} root  of the view
 * @param {HTMLInputElement} box
 */
export function listenForKeys(root, box) {
  root.addEventListener("keydown", (event) => {
    if (event.isComposing || event.altKey || event.ctrlKey || event.metaKey) return;
    const moved = event.key === "Escape" ? toBox(root, box) : step(root, box, event);
    if (moved) event.preventDefault();
  });
}

function toBox(root, box) {
  if (document.activeElement === box) return false;
  box.focus();
  box.select();
  return true;
}

function step(root, box, { key, target }) {
  const direction = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!direction || (target !== box && !target.closest(".candidates"))) return false;
  const all = [...root.querySelectorAll("[data-candidate]")];
  const here = all.findIndex((each) => each.closest("li") === target.closest(".candidate"));
  const next = here + direction;
  if (target === box && direction < 0) return false;
  if (next < 0) box.focus();
  else all[Math.min(next, all.length - 1)]?.focus();
  return true;
}

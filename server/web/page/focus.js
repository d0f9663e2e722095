// Keeps the place of whoever uses the keyboard while a view is built anew.

/**
 * Remember which element with an id has the focus, and what is selected in it.
 *
 * @returns {function(): void}  gives the focus back to the element that has this id then, if there is one
 */
export function keepFocus() {
  const { id, selectionStart, selectionEnd } = document.activeElement ?? {};
  return () => {
    const element = id ? document.getElementById(id) : null;
    if (!element) return;
    element.focus();
    if (typeof selectionStart === "number") element.setSelectionRange?.(selectionStart, selectionEnd);
  };
}

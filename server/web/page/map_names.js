// Names of labels on the map: drawn where they fit, the most important first, none over another.

const LONGEST = 30; // characters; longer names are cut
const HEIGHT = 16; // pixels of a line
const GAP = 3;
const AROUND = 11; // pixels around the query's point that names leave free
const SHIFTS = [0, -20, 20, -36, 36]; // places above and below the label's own that are tried, in pixels

export const NAME_FONT = '600 12px system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif';

const widths = new Map();

/** A name as it is drawn. */
export function shortened(name) {
  const letters = [...name];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : name;
}

function widthOf(context, text) {
  if (!widths.has(text)) widths.set(text, context.measureText(text).width);
  return widths.get(text);
}

const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/**
 * Choose which names to draw, and where.
 *
 * @param {CanvasRenderingContext2D} context  its font is NAME_FONT
 * @param {Camera} camera
 * @param {Array<Object>} labels  the most important first; those that `must` be drawn are drawn over others
 * @param {Set<Object>} must
 * @param {Array<number>|undefined} point  the query's place on the map, which names leave free
 * @returns {Array<{label, text, x, y}>}  x and y are the middle of the name
 */
export function placeNames(context, camera, labels, must, point) {
  const placed = [];
  const taken = point ? [around(camera.toScreen(...point))] : [];
  for (const label of labels) {
    const [x, y] = camera.toScreen(label.x, label.y);
    if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
    const text = shortened(label.name);
    const half = widthOf(context, text) / 2 + GAP;
    const middle = Math.min(Math.max(x, half), Math.max(half, camera.width - half));
    const free = SHIFTS.map((down) => boxAt(middle, y + down, half)).find((each) => !taken.some((other) => overlap(each, other)));
    const box = free ?? (must.has(label) ? boxAt(middle, y, half) : null);
    if (!box) continue;
    taken.push(box);
    placed.push({ label, text, x: middle, y: box.top + HEIGHT / 2, box });
  }
  return placed;
}

function boxAt(x, y, half) {
  return { left: x - half, right: x + half, top: y - HEIGHT / 2, bottom: y + HEIGHT / 2 };
}

function around([x, y]) {
  return { left: x - AROUND, right: x + AROUND, top: y - AROUND, bottom: y + AROUND };
}

// Colours of labels. They come from the variables in map.css, so that they follow the theme.

const HUES = 12;
const LEVELS = 3;
const STEP = 5; // has no factor in common with HUES, so that labels beside each other in the catalog differ most

/** The parts of a label's colour, by the label's position in the catalog. After 36 labels colours repeat. */
function parts(index) {
  return { hue: ((index * STEP) % HUES) * (360 / HUES) + 20, level: (Math.floor(index / HUES) % LEVELS) + 1 };
}

/** A label's colour for a CSS property; negative for a phrase that fits no label. */
export function cssColour(index) {
  if (index < 0) return "var(--map-none)";
  const { hue, level } = parts(index);
  return `oklch(var(--map-light-${level}) var(--map-chroma) ${hue})`;
}

/** The colours that a canvas draws with, as an element's style has them now. */
export class Palette {
  #style;
  #known = new Map();

  constructor(element) {
    this.#style = getComputedStyle(element);
    this.ink = this.#read("--ink");
    this.soft = this.#read("--soft");
    this.paper = this.#read("--paper");
    this.accent = this.#read("--accent");
    this.focus = this.#read("--focus");
  }

  #read(name) {
    return this.#style.getPropertyValue(name).trim();
  }

  /** A label's colour. */
  of(index) {
    if (!this.#known.has(index)) this.#known.set(index, this.#computed(index));
    return this.#known.get(index);
  }

  #computed(index) {
    if (index < 0) return this.#read("--map-none");
    const { hue, level } = parts(index);
    return `oklch(${this.#read(`--map-light-${level}`)} ${this.#read("--map-chroma")} ${hue})`;
  }
}

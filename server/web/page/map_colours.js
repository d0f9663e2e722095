// The colours of labels and of their points.

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

// The colours of points, mixed with the paper's, as styles and as pixels.

const FULL = 0.85;
const NONE = 0.5; // of phrases that fit no label
const FAINT = 0.16; // of other labels while one is chosen

export class PointColours {
  #known = new Map();

  /** @param {Palette} palette */
  constructor(palette) {
    this.palette = palette;
    this.paper = palette.paper;
    const dot = new OffscreenCanvas(1, 1);
    this.context = dot.getContext("2d", { willReadFrequently: true });
    this.paperWord = this.#mixed(palette.paper, 1).word;
  }

  /** A label's colour as a pixel, faint if another label is chosen. */
  word(owner, chosen) {
    return this.#of(owner, chosen).word;
  }

  /** The same as a style. */
  style(owner, chosen) {
    return this.#of(owner, chosen).style;
  }

  #of(owner, chosen) {
    const share = chosen === owner ? 1 : chosen !== undefined ? FAINT : owner < 0 ? NONE : FULL;
    const key = owner + share / 2;
    let known = this.#known.get(key);
    if (!known) this.#known.set(key, known = this.#mixed(this.palette.of(owner), share));
    return known;
  }

  #mixed(colour, share) {
    const { context } = this;
    context.globalAlpha = 1;
    context.fillStyle = this.paper;
    context.fillRect(0, 0, 1, 1);
    context.globalAlpha = share;
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const { data } = context.getImageData(0, 0, 1, 1);
    return { word: new Uint32Array(data.buffer)[0], style: `rgb(${data[0]} ${data[1]} ${data[2]})` };
  }
}

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

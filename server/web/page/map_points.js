// Draws the map's points. Thousands are written into the canvas's pixels, which is many times quicker than drawing them
// as shapes; the few of a near view are drawn as smooth circles.

const FEW = 500; // points that are drawn as circles
const STRIDE = 7919; // a prime: points are drawn in an order that mixes labels, so that none hides the others

export class PointLayer {
  #pixels = null;
  #words = null; // the pixels, a number each

  /**
   * Draw the points over all that is there.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {Camera} camera
   * @param {Object} look  {ratio, radius, colours: PointColours}
   * @param {MapData} data
   * @param {number|undefined} chosen  position of the label whose points stand out
   */
  draw(context, camera, { ratio, radius, colours }, data, chosen) {
    const visible = seen(camera, data, radius);
    const order = chosen === undefined ? visible : [...visible].sort((one, other) =>
      (data.owners[one] === chosen) - (data.owners[other] === chosen));
    if (order.length <= FEW) this.#circles(context, camera, radius, colours, data, order, chosen);
    else this.#write(context, camera, ratio, radius, colours, data, order, chosen);
  }

  #circles(context, camera, radius, colours, data, order, chosen) {
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, camera.width, camera.height);
    for (const at of order) {
      context.fillStyle = colours.style(data.owners[at], chosen);
      context.beginPath();
      context.arc(...camera.toScreen(data.xs[at], data.ys[at]), radius, 0, 2 * Math.PI);
      context.fill();
    }
  }

  #write(context, camera, ratio, radius, colours, data, order, chosen) {
    const { width, height } = context.canvas;
    if (this.#pixels?.width !== width || this.#pixels.height !== height) {
      this.#pixels = context.createImageData(width, height);
      this.#words = new Uint32Array(this.#pixels.data.buffer);
    }
    const words = this.#words;
    words.fill(colours.paperWord);
    const scale = camera.scale * ratio;
    const left = (camera.width * ratio) / 2 - camera.x * scale;
    const top = (camera.height * ratio) / 2 + camera.y * scale;
    const runs = disk(radius * ratio);
    for (const at of order) {
      const word = colours.word(data.owners[at], chosen);
      stamp(words, width, height, Math.round(left + data.xs[at] * scale), Math.round(top - data.ys[at] * scale), runs, word);
    }
    context.putImageData(this.#pixels, 0, 0);
  }
}

/** The points that are in view, in the order in which they are drawn: those that fit no label first. */
function seen(camera, data, radius) {
  const [left, top] = camera.toMap(-radius, -radius);
  const [right, bottom] = camera.toMap(camera.width + radius, camera.height + radius);
  const inside = [];
  for (const at of drawingOrder(data)) {
    const x = data.xs[at];
    const y = data.ys[at];
    if (x >= left && x <= right && y <= top && y >= bottom) inside.push(at);
  }
  return inside;
}

function drawingOrder(data) {
  if (data.drawingOrder) return data.drawingOrder;
  const mixed = Uint32Array.from({ length: data.size }, (_, at) => (at * STRIDE) % data.size);
  const all = data.size % STRIDE ? [...mixed] : [...mixed.keys()];
  data.drawingOrder = [...all.filter((at) => data.owners[at] < 0), ...all.filter((at) => data.owners[at] >= 0)];
  return data.drawingOrder;
}

/** The rows of a filled circle: how far each reaches to both sides. */
function disk(radius) {
  const most = Math.max(1, Math.round(radius));
  return Array.from({ length: 2 * most + 1 }, (_, row) =>
    [row - most, Math.round(Math.sqrt(Math.max(0, (most + 0.3) ** 2 - (row - most) ** 2)))]);
}

function stamp(words, width, height, x, y, runs, word) {
  for (const [down, half] of runs) {
    const row = y + down;
    if (row < 0 || row >= height) continue;
    const from = Math.max(0, x - half);
    const to = Math.min(width - 1, x + half);
    for (let at = row * width + from, end = row * width + to; at <= end; at += 1) words[at] = word;
  }
}

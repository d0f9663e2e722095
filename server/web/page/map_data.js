// The map's points, laid out so that they are drawn and searched quickly.

/** What names a label in requests and addresses: its id if it has one, as several labels may share a name. */
export const labelKey = (label) => label.id ?? label.name;

let kept = null; // the last map, so that coming back to the view asks nothing

/** The map of the catalog that answers. */
export async function loadMap(app) {
  if (kept?.catalog === app.about.catalog) return kept;
  const answer = await app.api.get("map", {}, "map-data");
  kept = new MapData(answer);
  return kept;
}

class MapData {
  /** @param {Object} answer  of api/map */
  constructor(answer) {
    this.catalog = answer.catalog;
    this.leftOut = answer.leftOut ?? 0;
    const points = [...answer.points].sort((one, other) => one[2] - other[2]);
    this.size = points.length;
    this.xs = Float32Array.from(points, (point) => point[0]);
    this.ys = Float32Array.from(points, (point) => point[1]);
    this.owners = Int32Array.from(points, (point) => point[2]);
    this.texts = points.map((point) => point[3]);
    this.kinds = points.map((point) => point[4]);
    this.groups = this.#grouped();
    const counts = new Map(this.groups.map(({ owner, from, to }) => [owner, to - from]));
    this.labels = answer.labels.map((label, index) => ({ ...label, index, count: counts.get(index) ?? 0 }));
    this.byCount = [...this.labels].sort((one, other) => other.count - one.count);
    this.byKey = new Map(this.labels.map((label) => [labelKey(label), label]));
    this.byName = new Map(this.labels.map((label) => [label.name, label]));
  }

  /** Runs of points of the same label, those that fit none first. */
  #grouped() {
    const groups = [];
    for (let at = 0; at < this.size; at += 1) {
      const last = groups.at(-1);
      if (last?.owner === this.owners[at]) last.to = at + 1;
      else groups.push({ owner: this.owners[at], from: at, to: at + 1 });
    }
    return groups;
  }

  /** A label by its id or name; undefined if there is none. */
  find(key) {
    return this.byKey.get(key) ?? this.byName.get(key);
  }

  /** The name of what a point belongs to. */
  ownerName(point) {
    return this.owners[point] < 0 ? "nothing fits" : this.labels[this.owners[point]].name;
  }

  /** The point nearest to a place, or -1 if none is within `reach`. */
  nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    for (let at = 0; at < this.size; at += 1) {
      const across = this.xs[at] - x;
      const up = this.ys[at] - y;
      const distance = across * across + up * up;
      if (distance < least) {
        least = distance;
        best = at;
      }
    }
    return best;
  }
}

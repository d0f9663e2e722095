// The phrase that the pointer or the keys point to: its ring, its tooltip, and opening its label.

import { labelKey } from "./map_data.js";

const REACH = 14; // pixels within which a point is hit

export class Marker {
  /** The marked point of the map's data; -1 for none. */
  point = -1;

  /** @param {Object} view  {app, camera, figure, surface, data, paint(), choose(key), fit()} */
  constructor(view) {
    this.view = view;
  }

  /** The pointer is over a place, or has left. */
  hovered(place) {
    this.#mark(place ? this.#at(place) : -1);
  }

  /** A place was clicked: a name opens its label, a point the label that it belongs to. */
  clicked(place) {
    this.#mark(this.#at(place));
    this.#choose(this.view.surface.nameAt(place) ?? this.#label());
  }

  /** The map was moved by keys: name the phrase in the middle. */
  keyMoved() {
    const { camera, data, app } = this.view;
    this.#mark(this.#at([camera.width / 2, camera.height / 2], Infinity));
    if (this.point >= 0) app.announce(`${data.texts[this.point]}: ${data.ownerName(this.point)}`);
  }

  /** Enter was pressed. */
  entered() {
    this.#choose(this.#label());
  }

  /** Show the whole map. */
  fit() {
    this.view.fit();
  }

  #at([across, down], reach = REACH) {
    const { data, camera } = this.view;
    return data ? data.nearest(...camera.toMap(across, down), reach / camera.scale) : -1;
  }

  #label() {
    const { data } = this.view;
    return data?.labels[data.owners[this.point]];
  }

  #choose(label) {
    if (label) this.view.choose(labelKey(label));
  }

  #mark(point) {
    if (point === this.point) return;
    const { data, figure, camera } = this.view;
    this.point = point;
    if (point < 0) figure.unpoint();
    else {
      const place = camera.toScreen(data.xs[point], data.ys[point]);
      figure.point(data.texts[point], data.kinds[point], data.ownerName(point), place);
    }
    this.view.paint();
  }
}

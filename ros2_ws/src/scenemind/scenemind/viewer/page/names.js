// Names of objects over the picture: buttons in the colours of their classes, which never overlap.
// Marked objects come first, then those related to them, then the largest on the screen.

import { clipFromWorld, project, viser } from "./camera.js";
import { inkOn, make } from "./dom.js";
import { act } from "./link.js";

const MOST = 80, MOST_ON_PHONE = 24, SMALLEST_PX = 8, HEIGHT_PX = 20, PAD_PX = 14, GAP_PX = 3;
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
const buttons = new Map();
let layer = null;
let things = [];
let marked = new Set();
let related = new Set();
let isShown = true;
let drawnFor = "";
let version = 0;

export function startNames(into) {
  layer = into;
  // A wheel that turns over a name zooms, as it does beside it.
  layer.addEventListener("wheel", (event) => viser()?.canvas?.dispatchEvent(new WheelEvent("wheel", event)));
  const step = () => {
    follow();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

export function setThings(given) {
  things = given;
  version++;
}

export function setMarked(ids, relatedIds) {
  marked = new Set(ids);
  related = new Set(relatedIds);
  version++;
}

export function setShown(shown) {
  isShown = shown;
  version++;
}

function widthOf(name) {
  if (!widths.has(name)) {
    if (widths.size > 5000) widths.clear();
    pen.font = "600 12px system-ui, sans-serif";
    widths.set(name, pen.measureText(name).width + PAD_PX);
  }
  return widths.get(name);
}

const rank = (thing) => (marked.has(thing.id) ? 0 : related.has(thing.id) ? 1 : 2);

/** Lay the names out again, if the camera or the objects have changed. */
function follow() {
  const matrix = clipFromWorld();
  if (!matrix) return;
  const { width, height } = layer.getBoundingClientRect();
  const key = `${version} ${width} ${height} ${matrix.map((v) => v.toFixed(3)).join()}`;
  if (key === drawnFor) return;
  drawnFor = key;
  const kept = isShown ? layOut(matrix, width, height) : [];
  const wanted = new Set(kept.map(({ thing }) => thing.id));
  for (const [id, button] of buttons)
    if (!wanted.has(id)) {
      button.remove();
      buttons.delete(id);
    }
  for (const { thing, x, y } of kept) place(thing, x, y);
}

function layOut(matrix, width, height) {
  const focal = 0.5 * height * viser().camera.projectionMatrix.elements[5];
  const seen = [];
  for (const thing of things) {
    const at = project(matrix, thing.at, width, height);
    if (!at) continue;
    const looksPx = (focal * thing.size) / at.depth;
    const order = rank(thing);
    const half = widthOf(thing.name) / 2;
    if (at.y < HEIGHT_PX || at.y > height || at.x < 0 || at.x > width) continue;
    if (order === 2 && looksPx < SMALLEST_PX) continue;
    const x = Math.min(Math.max(at.x, half + 2), width - half - 2); // whole within the picture
    seen.push({ thing, x, y: at.y, half, looksPx, order });
  }
  seen.sort((a, b) => a.order - b.order || b.looksPx - a.looksPx);
  const most = width < 500 ? MOST_ON_PHONE : MOST;
  const kept = [];
  for (const one of seen) {
    const overlaps = kept.some(
      (other) =>
        Math.abs(other.x - one.x) < other.half + one.half + GAP_PX &&
        Math.abs(other.y - one.y) < HEIGHT_PX + GAP_PX,
    );
    if (!overlaps) kept.push(one);
    if (kept.length === most) break;
  }
  return kept;
}

function place(thing, x, y) {
  let button = buttons.get(thing.id);
  if (!button) {
    button = make("button.name", {
      type: "button",
      tabIndex: -1, // the tree and the lists lead there by keyboard
      onclick: (event) => act({ do: event.shiftKey ? "toggle" : "mark", ids: [thing.id] }),
      "data-object": thing.id,
    });
    buttons.set(thing.id, button);
    layer.append(button);
  }
  if (button.textContent !== thing.name) button.textContent = thing.name;
  button.style.setProperty("--color", thing.color);
  button.style.setProperty("--ink", inkOn(thing.color));
  button.classList.toggle("marked", marked.has(thing.id));
  button.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
}

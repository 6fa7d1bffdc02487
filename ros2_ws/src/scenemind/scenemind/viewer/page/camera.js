// The camera of viser's 3D view. viser gives its state to tests and tools as `__viserMutable`.

export const viser = () => window.__viserMutable ?? null;

/** Column-major 4x4 matrices, as three.js has them: a times b. */
function times(a, b) {
  const product = new Array(16).fill(0);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return product;
}

function apply(m, [x, y, z]) {
  return [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row]);
}

/** The matrix from the world to the camera's clip space; null before the view is there. */
export function clipFromWorld() {
  const state = viser();
  const root = state?.nodeRefFromName?.[""];
  if (!root || !state.camera) return null;
  const { projectionMatrix, matrixWorldInverse } = state.camera;
  return times(projectionMatrix.elements, times(matrixWorldInverse.elements, root.matrixWorld.elements));
}

/** {x, y: pixels of the canvas, depth: metres} of a place in the world; null behind the camera. */
export function project(matrix, place, width, height) {
  const [x, y, , w] = apply(matrix, place);
  if (w < 0.1) return null;
  return { x: (0.5 + (0.5 * x) / w) * width, y: (0.5 - (0.5 * y) / w) * height, depth: w };
}

/** Move the camera: {position, look_at}, or {look_at, away_m} from where it is; world, metres. */
export function fly({ position, look_at, away_m }) {
  const state = viser();
  const root = state?.nodeRefFromName?.[""];
  if (!root) return;
  const target = apply(root.matrixWorld.elements, look_at);
  let eye;
  if (position) eye = apply(root.matrixWorld.elements, position);
  else {
    const here = state.camera.position;
    const away = [here.x - target[0], 0, here.z - target[2]]; // three.js has y up
    const length = Math.hypot(away[0], away[2]) || 1;
    eye = [0, 1, 2].map((k) => target[k] + (away[k] / length) * away_m);
    eye[1] = target[1] + 0.7 * away_m;
  }
  state.cameraControl.setLookAt(eye[0], eye[1], eye[2], target[0], target[1], target[2], true);
  state.requestRender();
}

/** The first view again, wherever the camera is. */
export function goHome() {
  const state = viser();
  if (!state?.resetCameraPose) return;
  state.resetCameraPose(true);
  state.requestRender();
}

/** When the pointer last moved by itself; a page that moves below it does not count. */

let last = -Infinity;
let [x, y] = [NaN, NaN];

addEventListener(
  "pointermove",
  ({ clientX, clientY }) => {
    if (clientX === x && clientY === y) return;
    [x, y] = [clientX, clientY];
    last = performance.now();
  },
  { capture: true, passive: true },
);

export const pointerMoved = (): number => last;

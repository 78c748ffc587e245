// Taps on elements with actions.
//
// One listener for the whole page, which is first in the capture phase: so it needs no search for new elements every
// half a second, which would keep the processor awake, and no script of the page sees a tap that it takes.

const tapAttributes = ["data-tap-dynamic", "data-tapdynamic", "tapdynamic", "data-dynamic-tap"];

/** How many ancestors of the element under the finger are asked. */
const tapLevels = 20;

/** The nearest element with actions, and their text. */
function tappable(event) {
  const path = event.composedPath().filter((one) => one instanceof Element).slice(0, tapLevels + 1);
  for (const element of path) {
    const name = tapAttributes.find((one) => element.hasAttribute(one));
    if (name) { return {element, text: element.getAttribute(name)}; }
  }
  return undefined;
}

window.addEventListener("click", (event) => {
  const found = tappable(event);
  if (!found) { return; }
  const groups = parsedAttribute(found.text)?.values;
  const group = Array.isArray(groups) ? groups.find(matches) : undefined;
  if (!group) { return; }
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const action of Array.isArray(group.actions) ? group.actions : []) { run(action, found.element, false); }
}, {capture: true});

/** The element that looks pressed. */
let pressed;

function release() {
  pressed?.removeAttribute("data-rampkit-pressed");
  pressed = undefined;
}

window.addEventListener("pointerdown", (event) => {
  release();
  pressed = tappable(event)?.element;
  pressed?.setAttribute("data-rampkit-pressed", "");
}, {capture: true, passive: true});
for (const event of ["pointerup", "pointercancel", "dragstart", "blur"]) {
  window.addEventListener(event, release, {capture: true, passive: true});
}

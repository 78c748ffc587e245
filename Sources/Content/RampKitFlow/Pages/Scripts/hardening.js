// Makes a page behave like a screen of a program: nothing is selected, copied, dragged or zoomed. Fields can be filled.
//
// `hidesCaret`, `viewport` and `fields`, the selector of fields, are defined before this text.

const styleText = `
  *, *::before, *::after {
    -webkit-user-select: none !important; user-select: none !important; -webkit-touch-callout: none !important;
    -webkit-user-drag: none !important;
  }
  :not(:is(${fields}), :is(${fields}) *) { -webkit-user-modify: read-only !important; }
  ::selection { background: transparent !important; }
  :is(${fields}), :is(${fields}) * { -webkit-user-select: text !important; user-select: text !important; }
  :is(${fields})::selection, :is(${fields}) *::selection { background: Highlight !important; }
  ${hidesCaret ? "* { caret-color: transparent !important; }" : ""}
`;

/** Whether an event is in a field, where the user edits. */
const isInField = (event) => event.composedPath().some((one) => one instanceof Element && one.matches(fields));

function refuse(name, isRefused = () => true) {
  window.addEventListener(name, (event) => { if (isRefused(event)) { event.preventDefault(); } },
    {capture: true, passive: false});
}

for (const name of ["gesturestart", "gesturechange", "gestureend", "contextmenu", "dragstart"]) { refuse(name); }
for (const name of ["selectstart", "copy", "cut", "paste", "dblclick"]) { refuse(name, (event) => !isInField(event)); }
refuse("wheel", (event) => event.ctrlKey);
refuse("touchmove", (event) => event.scale !== undefined && event.scale !== 1);

/** Removes a selection outside of fields. */
function clearSelection() {
  const selection = window.getSelection();
  if (!selection || selection.isCollapsed || document.activeElement?.matches(fields)) { return; }
  const node = selection.anchorNode;
  const element = node instanceof Element ? node : node?.parentElement;
  if (!element?.closest(fields)) { selection.removeAllRanges(); }
}

// The original looks every 160 ms. A change of the selection is always an event, so that one look after it is enough,
// and a page at rest does nothing.
let timer;
document.addEventListener("selectionchange", () => {
  clearSelection();
  clearTimeout(timer);
  timer = setTimeout(clearSelection, 160);
});
window.addEventListener("pagehide", () => { clearTimeout(timer); });

/** Puts the style and the viewport into the head, unless they are there. */
function apply() {
  const head = document.head;
  if (!head) { return; }
  if (!style.isConnected) { head.append(style); }
  let metas = document.querySelectorAll("meta[name=viewport]");
  if (metas.length === 0) {
    const meta = document.createElement("meta");
    meta.name = "viewport";
    head.append(meta);
    metas = [meta];
  }
  for (const meta of metas) { if (meta.content !== viewport) { meta.content = viewport; } }
  if (document.designMode !== "off") { document.designMode = "off"; }
}

const style = document.createElement("style");
style.textContent = styleText;

// There is no head yet. The observer also puts back what a page removes; new elements need nothing, since the style
// is for all.
new MutationObserver(apply).observe(document, {childList: true, subtree: true});
apply();

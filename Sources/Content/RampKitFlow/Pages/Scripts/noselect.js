// After the load: no selection and no menu, for programs that do without the hardening. Has an effect once.
//
// `fields`, the selector of fields, is defined before this text.

if (!window.__rkNoSelectApplied) {
  window.__rkNoSelectApplied = true;
  if (!document.getElementById("rk-no-select-style")) {
    const style = document.createElement("style");
    style.id = "rk-no-select-style";
    style.textContent = `* { -webkit-user-select: none; user-select: none; -webkit-touch-callout: none; }
      :is(${fields}), :is(${fields}) * { -webkit-user-select: text; user-select: text; }`;
    (document.head ?? document.documentElement).append(style);
  }
  document.addEventListener("contextmenu", (event) => { event.preventDefault(); }, {capture: true});
  document.addEventListener("selectstart", (event) => {
    const node = event.target, element = node instanceof Element ? node : node?.parentElement;
    if (!element?.closest(fields)) { event.preventDefault(); }
  }, {capture: true});
}

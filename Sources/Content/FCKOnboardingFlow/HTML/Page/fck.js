// Tells the program what the user does, and draws what the program says. The program keeps all state.

(() => {
"use strict";

const main = document.getElementById("fck");

/** Whether the user wants no motion. */
const isStill = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// To the program.

function send(element, kind, value) {
  const message = {type: "fck.event", elementId: element.dataset.id, kind};
  if (value !== undefined) { message.value = value; }
  window.webkit?.messageHandlers?.fck?.postMessage(JSON.stringify(message));
}

const isField = (target) => target.matches(".fck-entry input");

const owner = (target) => target.closest("[data-id]");

/** Presses an element, after the program knows of what a browser keeps to itself: a part of a date, or that it is gone. */
function tap(element) {
  for (const field of main.querySelectorAll(".fck-entry input:not([data-number])")) {
    if (field.validity.badInput || field.getAttribute("aria-invalid") === "true") { leave(field); }
  }
  send(element, "tap");
}

/** The innermost element that gets a press on the target. Fields and choices keep the presses on them. */
function tappable(target) {
  const found = target.closest("[data-tap], [data-control]");
  return found?.hasAttribute("data-tap") ? found : undefined;
}

main.addEventListener("click", (event) => {
  const step = event.target.closest("[data-step]");
  if (step) {
    send(owner(step), "change", {step: Number(step.dataset.step)});
    return;
  }
  // A click on a label is followed by one on its field.
  const label = event.target.closest("label");
  if (label?.control && label.control !== event.target) { return; }
  const element = tappable(event.target);
  if (element) { tap(element); }
});

// A browser makes clicks of keys for real buttons only.
const isMade = (element) => element.matches("[data-tap][tabindex]");

/** The steps of the keys in a field for a number. */
const steps = {ArrowUp: 1, ArrowDown: -1};

main.addEventListener("keydown", (event) => {
  if (event.isComposing) { return; }
  const target = event.target;
  const hasModifier = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
  if (target.matches("[data-number]") && Object.hasOwn(steps, event.key) && !hasModifier) {
    // The key would move the caret.
    event.preventDefault();
    send(owner(target), "change", {step: steps[event.key]});
    return;
  }
  if (event.repeat) { return; }
  if (isMade(target) && (event.key === "Enter" || event.key === " ")) {
    // The space key would scroll.
    event.preventDefault();
    if (event.key === "Enter") { tap(target); }
  } else if (event.key === "Enter" && isField(target)) {
    leave(target);
    const element = tappable(target);
    if (element) { tap(element); }
  }
});

main.addEventListener("keyup", (event) => {
  if (event.key === " " && isMade(event.target)) { tap(event.target); }
});

/** Tells what is in a field that the user leaves. A browser has no text of a date that is half typed, or none. */
function leave(target) {
  if (!isField(target)) { return; }
  const value = {text: target.value};
  if (target.validity.badInput) { value.isUnreadable = true; }
  send(owner(target), "change", value);
}

main.addEventListener("input", (event) => {
  const target = event.target;
  if (isField(target)) { send(owner(target), "change", target.validity.badInput ? {isUnreadable: true} : target.value); }
});

main.addEventListener("change", (event) => {
  const target = event.target;
  if (target.dataset.option !== undefined) {
    send(owner(target), "change", {option: target.dataset.option, isSelected: target.checked});
  } else if (target.matches(".fck-toggle input")) {
    send(owner(target), "change", target.checked);
  }
});

main.addEventListener("focusout", (event) => { leave(event.target); });

// A picture that fails keeps its place.
main.addEventListener("error", (event) => { event.target.classList?.add("fck-failed"); }, {capture: true});

// From the program.

function parsed(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/**
 * Makes a part of the page like another one, and leaves what is the same: so the focus and the caret stay.
 * @param {boolean} isTyping whether the field keeps the text that is in it
 */
function morph(from, to, isTyping) {
  if (from.nodeName !== to.nodeName) { from.replaceWith(to); return; }
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) { from.data = to.data; }
    return;
  }
  for (const name of from.getAttributeNames()) { if (!to.hasAttribute(name)) { from.removeAttribute(name); } }
  for (const name of to.getAttributeNames()) {
    // The attribute of a value would begin what is being typed into a field for a date anew; `update` sets the value.
    if (name === "value" && from instanceof HTMLInputElement) { continue; }
    if (from.getAttribute(name) !== to.getAttribute(name)) { from.setAttribute(name, to.getAttribute(name)); }
  }
  if (from instanceof HTMLInputElement) { update(from, to, isTyping); }
  const children = [...to.childNodes];
  while (from.childNodes.length > children.length) { from.lastChild.remove(); }
  children.forEach((child, index) => {
    const old = from.childNodes[index];
    if (old) { morph(old, child, isTyping); } else { from.append(child); }
  });
}

/** What the user changed does not follow the attributes any more. */
function update(from, to, isTyping) {
  if (from.type === "checkbox" || from.type === "radio") {
    from.checked = to.hasAttribute("checked");
  } else if (!isTyping && from.value !== to.value) {
    from.value = to.value;
  }
}

const operations = {
  redraw({id, html, isTyping}) {
    const element = document.getElementById(id);
    const wanted = parsed(html).firstElementChild;
    if (element && wanted) { morph(element, wanted, isTyping); }
  },
  show({html, direction}) {
    main.replaceChildren(parsed(html));
    main.scrollTo(0, 0);
    main.focus({preventScroll: true});
    if (isStill()) { return; }
    const start = direction === "forward" ? "translateX(48px)" : "translateX(-48px)";
    main.animate([{transform: start, opacity: 0}, {transform: "none", opacity: 1}], {duration: 200, easing: "ease-out"});
  },
  press({id, scale, opacity, duration}) {
    const element = document.getElementById(id);
    if (!element || isStill()) { return; }
    element.animate(
      [{}, {transform: `scale(${scale})`, opacity}, {}], {duration: duration * 2000, easing: "ease-in-out"});
  },
  focus({id}) {
    const element = document.getElementById(id);
    const field = element?.querySelector("input:checked") ?? element?.querySelector("input, button, [tabindex]");
    field?.focus();
  },
};

// The program calls it by its name.
Object.defineProperty(window, "fckApply", {
  value(text) {
    for (const operation of JSON.parse(text)) {
      if (Object.hasOwn(operations, operation.kind)) { operations[operation.kind](operation); }
    }
  },
});
})();

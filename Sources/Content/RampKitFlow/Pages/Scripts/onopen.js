// Actions that run when the page is shown.

/** The elements whose actions have begun. They run once. */
const opened = new WeakSet();

/** Counts how often the page was shown or left. A sequence of an earlier time stops. */
let showing = 0;
let isShown = false;

/** From the event to the search for elements, in milliseconds: the page may add some when it is shown. */
const openDelay = 50;
const defaultWait = 1000;
const longestWait = 600000;

/** What ends a sequence. */
const endings = ["navigate", "continue", "goBack", "close", "showPaywall", "onboardingFinished"];

const pause = (milliseconds) => new Promise((resolve) => { own.after(resolve, milliseconds); });

function waitOf(action) {
  const time = Number(action.waitMs ?? action.duration ?? defaultWait);
  return Number.isFinite(time) ? Math.min(Math.max(time, 0), longestWait) : defaultWait;
}

async function runSequence(actions, element, time) {
  for (const action of actions) {
    if (time !== showing) { return; }
    if (!isObject(action)) { continue; }
    if (action.type === "wait") {
      await pause(waitOf(action));
    } else {
      run(action, element, true);
      if (endings.includes(actionType(action))) { return; }
    }
  }
}

async function runOpenActions(time) {
  if (document.readyState === "loading") {
    await new Promise((resolve) => { document.addEventListener("DOMContentLoaded", resolve, {once: true}); });
  }
  await pause(openDelay);
  if (time !== showing) { return; }
  for (const element of own.query("[data-on-open-actions]")) {
    if (opened.has(element)) { continue; }
    opened.add(element);
    const actions = parsedAttribute(element.getAttribute("data-on-open-actions"));
    if (Array.isArray(actions)) { runSequence(actions, element, time); }
  }
}

/** The page is shown, or was left. */
function setVisible(isVisible, screenIndex, screenId) {
  window.__rampkitScreenVisible = isVisible;
  if (isVisible === isShown) { return; }
  isShown = isVisible;
  showing += 1;
  if (!isVisible) { return; }
  own.dispatch(new own.Event("rampkit:screen-visible", {detail: {screenIndex, screenId}, bubbles: true}));
  runOpenActions(showing);
}

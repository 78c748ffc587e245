// What the program says to the page.

/** Tells the page, by a message and by an event, as the original does on its platforms. */
function announce(name, data) {
  own.dispatch(new own.MessageEvent("message", {data: {type: name, ...data}}));
  own.dispatch(new own.Event(name, {detail: data, bubbles: true}));
}

function announceState() {
  const {currentIndex, screenId, totalScreens} = state;
  if (typeof window.__rampkitUpdateOnboarding === "function") {
    attempt(() => window.__rampkitUpdateOnboarding(currentIndex, screenId));
  }
  announce("rampkit:onboarding-state", {currentIndex, screenId, totalScreens});
}

/** The translations that came with the document, and their locale. */
let translations;
let isContentShown = false;

/** Shows the data of the document in its content, once. */
function showContent() {
  if (isContentShown) { return; }
  isContentShown = true;
  if (translations) { applyTranslations(translations.map, translations.locale); }
  resolveTemplates();
  // The scripts in the content were not there when the state came.
  if (state.screenId !== undefined) { announceState(); }
}

// An element without an end, such as a template, can swallow the call after the content.
document.addEventListener("DOMContentLoaded", showContent, {once: true});

const receivers = {
  variables({vars}) {
    if (!isObject(vars)) { return; }
    update(vars);
    announce("rampkit:variables", {vars});
    own.dispatch(new own.Event("rampkit:vars-updated", {detail: {vars}, bubbles: true}));
  },
  state({currentIndex, screenId, totalScreens}) {
    state = {currentIndex, screenId, totalScreens};
    window.RK_TOTAL_SCREENS = totalScreens;
    resolveTemplates();
    announceState();
  },
  translations({map, locale}) { translations = {map, locale}; },
  content() { showContent(); },
  visible({isVisible, screenIndex, screenId}) { setVisible(isVisible === true, screenIndex, screenId); },
};

// A page cannot replace this function: the program calls it by its name.
Object.defineProperty(window, "__rampkitReceive", {
  value(text) {
    let message;
    try { message = own.parse(text); } catch { return; }
    if (isObject(message) && own.hasOwn(receivers, message.kind)) { receivers[message.kind](message); }
  },
});

// The actions of the page language. Each becomes a message, or a change of this page.

/** A review is asked for once. */
let hasAskedForReview = false;

/** The messages by the type of the action. */
const messages = {
  navigate: (action) => ({type: "rampkit:navigate", ...members(action, "targetScreenId", "animation")}),
  continue: (action) => ({type: "rampkit:continue", ...members(action, "animation")}),
  goBack: (action) => ({type: "rampkit:goBack", ...members(action, "animation")}),
  close: () => ({type: "rampkit:close"}),
  haptic: (action) => ({
    type: "rampkit:haptic", action: "haptic", ...members(action, "hapticType", "impactStyle", "notificationType"),
  }),
  showPaywall: (action) => {
    const payload = action.payload ?? (action.paywallId === undefined ? undefined : {paywallId: action.paywallId});
    return {type: "rampkit:show-paywall", ...members({payload}, "payload")};
  },
  requestReview: () => {
    if (hasAskedForReview) { return undefined; }
    hasAskedForReview = true;
    return {type: "rampkit:request-review"};
  },
  requestNotificationPermission: (action) => ({
    type: "rampkit:request-notification-permission", ...members(action, "ios", "android", "behavior"),
  }),
  onboardingFinished: (action) => ({type: "rampkit:onboarding-finished", ...members(action, "payload")}),
  setVariable: (action) => {
    const name = [action.key, action.variableName, action.name, action.variable]
      .find((one) => typeof one === "string" && one !== "");
    const value = [action.variableValue, action.value, action.newValue].find((one) => one !== undefined);
    // Variables of the program can be read only.
    if (name === undefined || value === undefined || name === "__proto__" || name.startsWith("onboarding.")) {
      return undefined;
    }
    update({[name]: value});
    return {type: "rampkit:variables", vars: {[name]: value}};
  },
  // Not part of the original: a page cannot open an address itself.
  openURL: (action) => ({type: "rampkit:open-url", ...members(action, "url")}),
};

const otherNames = {
  finishOnboarding: "onboardingFinished", finish: "onboardingFinished",
  setState: "setVariable", updateVariable: "setVariable", set: "setVariable", assign: "setVariable",
};

/** What the actions for classes do, with the elements of the selector and the element that has the action. */
const classChanges = {
  addClass: (names, elements) => { for (const one of elements) { one.classList.add(...names); } },
  removeClass: (names, elements) => { for (const one of elements) { one.classList.remove(...names); } },
  toggleClass: (names, elements) => {
    for (const one of elements) { for (const name of names) { one.classList.toggle(name); } }
  },
  selectOne: (names, elements, element, hasSelector) => {
    for (const one of hasSelector ? elements : element.parentElement?.children ?? []) { one.classList.remove(...names); }
    element.classList.add(...names);
  },
};

/** The members with these names that are there. */
function members(action, ...names) {
  return Object.fromEntries(names.filter((name) => action[name] !== undefined).map((name) => [name, action[name]]));
}

/** The usual name of an action. */
const actionType = (action) => own.hasOwn(otherNames, action.type) ? otherNames[action.type] : action.type;

/**
 * Runs one action; nothing happens for an unknown one.
 * @param {object} action
 * @param {Element} element the element that has the action
 * @param {boolean} isFromOnOpen whether the page began it, not the user
 */
function run(action, element, isFromOnOpen) {
  if (!isObject(action) || typeof action.type !== "string") { return; }
  const type = actionType(action);
  if (own.hasOwn(classChanges, type)) {
    attempt(() => changeClasses(type, action, element));
  } else if (own.hasOwn(messages, type)) {
    const message = messages[type](action);
    if (message) { post(isFromOnOpen ? {...message, fromOnOpen: true} : message); }
  }
}

function changeClasses(type, action, element) {
  const names = String(action.class ?? "").split(/\s+/).filter((name) => name !== "");
  const hasSelector = typeof action.selector === "string" && action.selector !== "";
  if (names.length > 0) {
    classChanges[type](names, hasSelector ? own.query(action.selector) : [element], element, hasSelector);
  }
}

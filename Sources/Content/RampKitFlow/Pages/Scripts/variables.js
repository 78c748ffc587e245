// The variables of the flow as this page knows them, and the names that rules and templates can use.

/** Where the flow stands, as the program said. */
let state = {};

/** The variables. A page may replace or change the object itself. */
function variables() {
  if (!isObject(window.__rampkitVariables)) { window.__rampkitVariables = {}; }
  return window.__rampkitVariables;
}

/** Takes over values. The object stays the same, since scripts of the page may hold it. */
function merge(values) {
  const all = variables();
  for (const name of Object.keys(values)) {
    // An assignment would change the prototype.
    if (name !== "__proto__") { all[name] = values[name]; }
  }
}

/**
 * The value of a name: a variable, `device.x` and `user.x` of the context, `onboarding.x` of the state.
 * @param {string} name
 */
function lookup(name) {
  const all = variables();
  if (own.hasOwn(all, name)) { return all[name]; }
  const dot = name.indexOf("."), part = name.slice(0, dot), member = name.slice(dot + 1);
  const context = window.rampkitContext;
  const owner = part === "device" ? context?.device : part === "user" ? context?.user
    : part === "onboarding" ? state : undefined;
  return isObject(owner) && own.hasOwn(owner, member) ? owner[member] : undefined;
}

/** A value as the user reads it. A script of the page may have made one that has no text. */
function shown(value) {
  if (value === undefined || value === null) { return ""; }
  try { return typeof value === "object" ? own.stringify(value) ?? "" : String(value); } catch { return ""; }
}

/** Whether a value counts as true: not empty, "0" or "false". */
const isTruthy = (value) => !["", "0", "false"].includes(shown(value));

/** Changes variables of this page, and shows them. */
function update(values) {
  if (!isObject(values)) { return; }
  merge(values);
  resolveTemplates();
}

define("rampkitUpdateVariables", update);

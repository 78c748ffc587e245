// The conditions of the page language.

const comparisons = {
  "=": (one, other) => isEqual(one, other),
  "==": (one, other) => isEqual(one, other),
  "!=": (one, other) => !isEqual(one, other),
  "<>": (one, other) => !isEqual(one, other),
  ">": (one, other) => parseFloat(shown(one)) > parseFloat(shown(other)),
  "<": (one, other) => parseFloat(shown(one)) < parseFloat(shown(other)),
  ">=": (one, other) => parseFloat(shown(one)) >= parseFloat(shown(other)),
  "<=": (one, other) => parseFloat(shown(one)) <= parseFloat(shown(other)),
};

const operators = {
  ...comparisons,
  contains: (one, other) => Array.isArray(one) ? one.some((element) => isEqual(element, other))
    : shown(one).includes(shown(other)),
  startsWith: (one, other) => shown(one).startsWith(shown(other)),
  endsWith: (one, other) => shown(one).endsWith(shown(other)),
  empty: (one) => isEmpty(one),
  isEmpty: (one) => isEmpty(one),
  notEmpty: (one) => !isEmpty(one),
  isNotEmpty: (one) => !isEmpty(one),
};

/** Equal as text. A number also equals another writing of it, and a boolean its word. */
function isEqual(one, other) {
  if (typeof one === "boolean" || typeof other === "boolean") {
    return shown(one).trim().toLowerCase() === shown(other).trim().toLowerCase();
  }
  const first = shown(one), second = shown(other);
  if (first === second) { return true; }
  const isNumber = typeof one === "number" || typeof other === "number";
  return isNumber && first.trim() !== "" && second.trim() !== "" && Number(first) === Number(second);
}

const isEmpty = (value) => Array.isArray(value) ? value.length === 0 : shown(value) === "";

/** Whether one rule holds. An unknown operator never does. */
function holds(rule) {
  return isObject(rule) && typeof rule.key === "string" && typeof rule.op === "string"
    && own.hasOwn(operators, rule.op) && operators[rule.op](lookup(rule.key), rule.value);
}

/** Whether a group of actions is to run. No rules are true. */
function matches(group) {
  if (!isObject(group)) { return false; }
  switch (group.conditionType ?? "if") {
    case "if":
    case "elseif": return group.rules === undefined || group.rules === null
      || Array.isArray(group.rules) && group.rules.every(holds);
    case "else": return true;
    default: return false;
  }
}

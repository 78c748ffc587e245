// Templates: ${name}, ${device.x}, ${condition ? "a" : "b"} in texts and some attributes.
//
// Each text is kept as it was written, and written anew when a variable changes. A value becomes text and never HTML.

const templateAttributes = ["src", "href", "alt", "title", "placeholder", "value", "data-text", "class"];

/** The elements whose text is not for users, or is what the user typed. */
const untouched = ["SCRIPT", "STYLE", "TEXTAREA", "NOSCRIPT", "TEMPLATE"];

/** Longer expressions are text. So no text takes long. */
const longestExpression = 4096;

/** Texts by their first node: what was written, its text now, what the first node shows, and the nodes after it. */
const texts = new Map();

/** Attributes by their elements: for each name what was written and what is shown. */
const attributes = new Map();

// MARK: Expressions

/** A name, a number, or a text in quotes; undefined for anything else. */
function operand(text) {
  const quoted = /^"((?:[^"\\]|\\.)*)"$|^'((?:[^'\\]|\\.)*)'$/s.exec(text);
  if (quoted) { return {value: (quoted[1] ?? quoted[2]).replace(/\\(["'\\])/g, "$1")}; }
  if (/^-?\d+(\.\d+)?$/.test(text)) { return {value: Number(text)}; }
  if (text === "true" || text === "false") { return {value: text === "true"}; }
  return /^[^\s"'?:=!<>&|+*/(){}]+$/.test(text) ? {value: lookup(text)} : undefined;
}

/** Splits at the first of the separators that is not in quotes. Longer separators come first. */
function split(text, separators) {
  let quote = "";
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quote) {
      if (character === "\\") { index += 1; } else if (character === quote) { quote = ""; }
    } else if (character === "\"" || character === "'") {
      quote = character;
    } else {
      const found = separators.find((one) => text.startsWith(one, index));
      if (found) { return [text.slice(0, index).trim(), found, text.slice(index + found.length).trim()]; }
    }
  }
  return undefined;
}

function condition(text) {
  const parts = split(text, ["===", "!==", "==", "!=", "<>", ">=", "<=", "=", ">", "<"]);
  if (!parts) { return isTruthy(operand(text)?.value); }
  const left = operand(parts[0]), right = operand(parts[2]);
  const operator = {"===": "=", "!==": "!="}[parts[1]] ?? parts[1];
  return left !== undefined && right !== undefined && comparisons[operator](left.value, right.value);
}

/** The text for an expression; empty if it is unknown. */
function resolvedExpression(expression) {
  const question = split(expression, ["?"]);
  const choice = question && split(question[2], [":"]);
  const chosen = choice ? choice[condition(question[0]) ? 0 : 2] : expression.trim();
  return shown(operand(chosen)?.value);
}

/**
 * Where the expression that begins at `start` ends: its brace. If it has none, `end` is -1, and the text up to `next` is
 * no expression.
 */
function endOfExpression(text, start) {
  const limit = Math.min(text.length, start + longestExpression);
  let quote = "", quotedBrace = -1;
  for (let index = start; index < limit; index += 1) {
    const character = text[index];
    if (quote) {
      if (character === "}" && quotedBrace < 0) { quotedBrace = index; }
      if (character === "\\") { index += 1; } else if (character === quote) { quote = ""; }
    } else if (character === "\"" || character === "'") {
      quote = character;
    } else if (character === "}") {
      return {end: index, next: index + 1};
    } else if (text.startsWith("${", index)) {
      return {end: -1, next: index};
    }
  }
  // A single apostrophe begins no quotation.
  return quote && quotedBrace >= 0 ? {end: quotedBrace, next: quotedBrace + 1} : {end: -1, next: limit};
}

/** The text with its expressions resolved. An expression without an end stays as it is. */
function resolved(template) {
  let result = "", position = 0;
  for (;;) {
    const start = template.indexOf("${", position);
    if (start < 0) { return result + template.slice(position); }
    const {end, next} = endOfExpression(template, start + 2);
    result += end < 0 ? template.slice(position, next)
      : template.slice(position, start) + resolvedExpression(template.slice(start + 2, end));
    position = next;
  }
}

// MARK: Texts

const isTemplate = (text) => text.includes("${");
const hasLineBreak = (text) => text.includes("\\n");

/** Shows the text of an entry. A backslash and an n are a line break. */
function showText(first, entry) {
  const text = resolved(entry.written);
  if (text === entry.text) { return; }
  entry.text = text;
  const lines = text.split("\\n");
  for (const node of entry.more) { node.remove(); }
  entry.more = lines.slice(1).flatMap((line) => [document.createElement("br"), document.createTextNode(line)]);
  entry.shown = lines[0];
  first.data = lines[0];
  first.after(...entry.more);
}

function findTexts(root) {
  const parts = new Set([...texts.values()].flatMap((entry) => entry.more));
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
    untouched.includes(node.nodeName) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      findAttributes(node);
    } else if (!texts.has(node) && !parts.has(node) && (isTemplate(node.data) || hasLineBreak(node.data))) {
      found.push(node);
    }
  }
  for (const node of found) { texts.set(node, {written: node.data, shown: node.data, more: []}); }
}

// MARK: Attributes

/** Whether an address is a script for a browser, which ignores spaces and line breaks. A value must not become one. */
const isScriptAddress = (text) => text.replace(/[\u0000-\u0020]/g, "").toLowerCase().startsWith("javascript:");

const words = (text) => text.split(/\s+/).filter((word) => word !== "");

function findAttributes(element) {
  for (const name of templateAttributes) {
    const written = element.getAttribute(name);
    const known = attributes.get(element)?.get(name);
    // What is known shows a value, which may look like a template; classes also change without us.
    if (written === null || !isTemplate(written) || known && (name === "class" || known.shown === written)) { continue; }
    if (!attributes.has(element)) { attributes.set(element, new Map()); }
    attributes.get(element).set(name, {written, shown: written});
  }
}

function showAttribute(element, name, entry) {
  let text = resolved(entry.written);
  if ((name === "src" || name === "href") && isScriptAddress(text) && !isScriptAddress(entry.written)) { text = ""; }
  if (name === "class") {
    // Other classes may have been added meanwhile.
    element.classList.remove(...words(entry.shown));
    element.classList.add(...words(text));
  } else if (element.getAttribute(name) !== text) {
    element.setAttribute(name, text);
  }
  entry.shown = text;
}

// MARK: Both

/** Forgets what the page removed or changed itself. */
function forget() {
  for (const [node, entry] of texts) {
    if (!node.isConnected || node.data !== entry.shown) {
      for (const part of entry.more) { part.remove(); }
      texts.delete(node);
    }
  }
  for (const [element, entries] of attributes) {
    for (const [name, entry] of entries) {
      if (name !== "class" && element.getAttribute(name) !== entry.shown) { entries.delete(name); }
    }
    if (!element.isConnected || entries.size === 0) { attributes.delete(element); }
  }
}

/** Writes all templates with the present values. */
function resolveTemplates() {
  if (!document.body) { return; }
  forget();
  findAttributes(document.body);
  findTexts(document.body);
  for (const [node, entry] of texts) { showText(node, entry); }
  for (const [element, entries] of attributes) {
    for (const [name, entry] of entries) { showAttribute(element, name, entry); }
  }
}

define("rampkitResolveTemplates", resolveTemplates);

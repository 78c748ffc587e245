// Translations: texts by `data-ramp-id`. They become text and never HTML.

const rightToLeft = ["ar", "he", "fa", "ur"];

const localeForm = (locale) => String(locale ?? "").replaceAll("_", "-").toLowerCase();

/** The name in the map for the exact locale, else for its language; undefined if there is none. */
function translationName(map, locale, language) {
  const names = Object.keys(map).sort();
  return [locale, language].map(localeForm).filter((form) => form !== "")
    .map((form) => names.find((name) => localeForm(name) === form)).find((name) => name !== undefined);
}

/** Replaces the text of an element, and keeps elements in it, such as a picture of a button. */
function setText(element, text) {
  if (element.matches("input, textarea")) {
    element.placeholder = text;
  } else if (element.matches("img")) {
    element.alt = text;
  } else {
    const children = Array.from(element.childNodes);
    const hasElements = children.some((one) => one.nodeType === Node.ELEMENT_NODE && one.nodeName !== "BR");
    const first = children.find((one) => one.nodeType === Node.TEXT_NODE && one.data.trim() !== "");
    if (hasElements && first) { first.data = text; } else { element.textContent = text; }
  }
}

/** Shows the translation for the locale, else for the language, if the map has one. */
function applyTranslations(map, locale, language) {
  if (!isObject(map)) { return; }
  const name = translationName(map, locale, language);
  if (name === undefined || !isObject(map[name])) { return; }
  for (const element of own.query("[data-ramp-id]")) {
    const id = element.getAttribute("data-ramp-id");
    const text = own.hasOwn(map[name], id) ? map[name][id] : undefined;
    if (typeof text === "string") { setText(element, text); }
  }
  const form = name.replaceAll("_", "-"), root = document.documentElement;
  root.lang = form;
  if (rightToLeft.includes(form.split("-")[0].toLowerCase())) { root.dir = "rtl"; } else { root.removeAttribute("dir"); }
  resolveTemplates();
}

define("__rampkitApplyTranslations", applyTranslations);

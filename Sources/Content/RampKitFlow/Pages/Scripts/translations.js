// Translations: texts by `data-ramp-id`. They become text and never HTML.

const localeForm = (locale) => String(locale ?? "").replaceAll("_", "-").toLowerCase();

const presentNames = {
  cmn: "zh", in: "id", iw: "he", ji: "yi", jw: "jv", mo: "ro", no: "nb", sh: "sr-latn", tl: "fil",
};

/** The locale with its likely script and region, under its present name (`iw` is `he`, `no` is `nb`); undefined for no tag. */
function likelyLocale(locale) {
  const [language, ...rest] = localeForm(locale).split("-");
  const name = own.hasOwn(presentNames, language) ? presentNames[language] : language;
  const parts = [name, ...(name.includes("-") && rest[0]?.length === 4 ? rest.slice(1) : rest)];
  try { return new Intl.Locale(parts.join("-")).maximize(); } catch { return undefined; }
}

const isRightToLeft = (locale) =>
  ["Adlm", "Arab", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa", "Yezi"].includes(likelyLocale(locale)?.script);

const parentRegions = {
  es: ["419", "AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"],
  pt: ["PT", "AO CH CV FR GQ GW LU MO MZ ST TL"],
};

/** What comes between a locale that ends with its region and its language: `zh-hant` for `zh-tw`, `es-419` for `es-mx`. */
function localeParents(form) {
  const [, language, own, region] = /^([a-z]+)(?:-([a-z]{4}))?-([a-z]{2}|[0-9]{3})$/.exec(form) ?? [];
  if (region === undefined) { return []; }
  const [parent, regions] = parentRegions[language] ?? ["", ""];
  if (regions.split(" ").includes(region.toUpperCase())) { return [localeForm(`${language}-${parent}`)]; }
  const script = likelyLocale(form)?.script, usual = likelyLocale(language)?.script;
  return own !== undefined || script === undefined || script === usual ? [] : [localeForm(`${language}-${script}`)];
}

/** The forms in which a translation is looked up, the most specific one first: `zh-tw`, `zh-hant`, `zh`. */
function localeChain(locale) {
  const chain = [];
  for (let form = localeForm(locale); form !== ""; form = form.split("-").slice(0, -1).join("-")) {
    chain.push(form, ...localeParents(form));
  }
  return chain.at(-1) === "nn" ? [...chain, "nb"] : chain;
}

/** The name in the map for the locale, by its chain: the same spelling first, then another one of the same script. */
function translationName(map, locale, language) {
  const names = Object.keys(map).sort((one, other) => localeForm(one) < localeForm(other) ? -1 : 1), known = localeForm(locale) === "" ? language : locale;
  const script = likelyLocale(known)?.script;
  for (const form of localeChain(known)) {
    const likely = likelyLocale(form);
    const name = names.find((name) => localeForm(name) === form)
      ?? (likely?.script === script ? names.find((name) => likely && likelyLocale(name)?.toString() === likely.toString())
        : undefined);
    if (name !== undefined) { return name; }
  }
  return undefined;
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

/** Shows the translation for the locale, else for a parent of it, if the map has one. */
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
  if (isRightToLeft(form)) { root.dir = "rtl"; } else { root.removeAttribute("dir"); }
  resolveTemplates();
}

define("__rampkitApplyTranslations", applyTranslations);

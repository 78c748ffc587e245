// Collects what a page is and stores, as JSON. Passwords are masked: the values of password fields, of fields that had a
// password before (`site.js`), and the same texts wherever else they are.
//
// Constants: `maximumHTML` and `maximumStorage`, in UTF-16 code units.

const mask = "********";
const secretTypes = /(^|\s)(current-password|new-password|one-time-code|cc-csc)(\s|$)/;
const isSecret = (field) =>
  field.type === "password" || secretTypes.test(field.autocomplete ?? "")
  || globalThis.passageSecretFields?.has(field) === true;

// An element named `querySelectorAll` takes the place of that member of `document`, in every script world.
const root = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(document);
const fields = [...Document.prototype.querySelectorAll.call(document, "input, textarea")];
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
// Short values occur in other texts by chance; they are masked in their fields only.
const secrets = new Set(
  fields.filter(isSecret).flatMap((field) => [field.value, field.getAttribute("value") ?? ""])
    .filter((value) => value.length >= 4).flatMap((value) => [value, escaped(value)]));
const masked = (text) => {
  let result = text;
  for (const secret of secrets) { result = result.replaceAll(secret, mask); }
  return result;
};

/** The outer HTML, of which a copy is changed and not the page. */
const html = () => {
  const copy = root?.cloneNode(true);
  if (!copy) { return ""; }
  const copies = [...copy.querySelectorAll("input, textarea")];
  for (const [index, field] of fields.entries()) {
    const one = copies[index];
    if (!one || !isSecret(field)) { continue; }
    if (one.hasAttribute("value")) { one.setAttribute("value", mask); }
    if (one.localName === "textarea") { one.textContent = mask; }
  }
  return masked(copy.outerHTML).slice(0, maximumHTML);
};

/** The entries of a storage, which pages of some origins may not use. */
const entries = (name) => {
  try {
    const storage = window[name], found = [];
    let left = maximumStorage;
    for (let index = 0; index < storage.length && found.length < 1000; index += 1) {
      const key = storage.key(index), value = storage.getItem(key) ?? "";
      left -= key.length + value.length;
      if (left < 0) { break; }
      found.push({name: key, value: masked(value)});
    }
    return found;
  } catch { return []; }
};

return JSON.stringify({
  url: location.href, html: html(), localStorage: entries("localStorage"), sessionStorage: entries("sessionStorage"),
});

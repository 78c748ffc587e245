// @ts-check
// The machine readable zone (ICAO Doc 9303-3 to 9303-6), as the user types it.

/**
 * What opens the chip.
 * @typedef {object} Key
 * @property {string} documentNumber without fillers
 * @property {string} dateOfBirth YYMMDD
 * @property {string} dateOfExpiry YYMMDD
 */

/**
 * The state of a zone while it is typed: nothing wrong yet, a problem, or a key.
 * @typedef {{state: "incomplete"} | {state: "wrong", field: Field} | {state: "complete", key: Key}} Reading
 */

/** @typedef {"documentNumber" | "dateOfBirth" | "dateOfExpiry" | "zone"} Field */

/**
 * The check digit of Doc 9303-3, 4.9.
 * @param {string} text letters, digits and fillers
 * @returns {number | null} null for other characters
 */
export function checkDigit(text) {
  let sum = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = valueOf(text[index]);
    if (value === null) { return null; }
    sum += value * [7, 3, 1][index % 3];
  }
  return sum % 10;
}

/** @param {string} character */
function valueOf(character) {
  if (character === "<") { return 0; }
  if (character >= "0" && character <= "9") { return character.charCodeAt(0) - 48; }
  if (character >= "A" && character <= "Z") { return character.charCodeAt(0) - 55; }
  return null;
}

/**
 * The lines of the zone: upper case, without spaces. Some keyboards and scanners send « for two fillers.
 * @param {string} text
 * @returns {string[]}
 */
export function lines(text) {
  return text.toUpperCase().replace(/[«»]/g, "<<").split(/[\r\n]+/).map((line) => line.replace(/\s/g, ""))
    .filter((line) => line !== "");
}

/** Line lengths and numbers of lines: TD3, TD2, TD1. */
const formats = [{length: 44, count: 2}, {length: 36, count: 2}, {length: 30, count: 3}];

/**
 * Where the fields are: the line, and the range in it. The check digit follows each.
 * @param {string[]} all
 */
function places(all) {
  return all.length === 3
    ? {number: [0, 5, 14], birth: [1, 0, 6], expiry: [1, 8, 14]}
    : {number: [1, 0, 9], birth: [1, 13, 19], expiry: [1, 21, 27]};
}

/**
 * Judges the lines that were typed so far.
 * @param {string} text
 * @returns {Reading}
 */
export function readZone(text) {
  const all = lines(text);
  // A scanner may send the zone as one line.
  const joined = all.join("");
  // Two lines of a passport have the length of another format while the second is typed.
  const format = formats.find((one) => joined.length === one.length * one.count
    && (all.length === 1 ? !(one.length === 36 && joined.startsWith("P")) : all[0].length === one.length));
  if (!format) { return {state: joined.length > 90 ? "wrong" : "incomplete", field: "zone"}; }
  const zone = Array.from({length: format.count}, (_, index) =>
    joined.slice(index * format.length, (index + 1) * format.length));
  const place = places(zone);
  /** @param {number[]} range */
  const field = ([line, from, to]) => ({text: zone[line].slice(from, to), digit: zone[line][to]});
  const number = documentNumber(zone, field(place.number), format.length);
  if (number === null) { return {state: "wrong", field: "documentNumber"}; }
  const birth = field(place.birth), expiry = field(place.expiry);
  if (String(checkDigit(birth.text)) !== birth.digit) { return {state: "wrong", field: "dateOfBirth"}; }
  if (String(checkDigit(expiry.text)) !== expiry.digit || !isDate(expiry.text)) {
    return {state: "wrong", field: "dateOfExpiry"};
  }
  return {state: "complete", key: {documentNumber: number, dateOfBirth: birth.text, dateOfExpiry: expiry.text}};
}

/**
 * The document number. One of more than nine characters continues in the optional data of TD1 and TD2, and a filler
 * replaces its check digit (Doc 9303-5, 4.2.2, note j).
 * @param {string[]} zone
 * @param {{text: string, digit: string}} field
 * @param {number} length of a line
 */
function documentNumber(zone, field, length) {
  if (field.digit !== "<" || length === 44) {
    const isRight = String(checkDigit(field.text)) === field.digit || (field.digit === "<" && checkDigit(field.text) === 0);
    return isRight ? field.text.replace(/<+$/, "") : null;
  }
  const optional = length === 30 ? zone[0].slice(15, 30) : zone[1].slice(28, 35);
  const rest = optional.split("<")[0];
  const number = field.text + rest.slice(0, -1);
  return rest.length > 1 && String(checkDigit(number)) === rest.slice(-1) ? number : null;
}

/**
 * A date in the forms that users write: 740812, 1974-08-12, 12.08.1974, 12/08/1974 (day first).
 * @param {string} text
 * @returns {string | null} YYMMDD
 */
export function dateOf(text) {
  const written = text.trim();
  let match = /^(\d{2})(\d{2})(\d{2})$/.exec(written);
  if (match) { return isDate(written) ? written : null; }
  match = /^\d{2}(\d{2})-(\d{1,2})-(\d{1,2})$/.exec(written);
  if (match) { return composed(match[1], match[2], match[3]); }
  match = /^(\d{1,2})[./](\d{1,2})[./](?:\d{2})?(\d{2})$/.exec(written);
  return match ? composed(match[3], match[2], match[1]) : null;
}

/** @param {string} year @param {string} month @param {string} day */
function composed(year, month, day) {
  const date = year + month.padStart(2, "0") + day.padStart(2, "0");
  return isDate(date) ? date : null;
}

/** @param {string} date YYMMDD; month and day may be fillers if they are not known (Doc 9303-3, 4.8) */
function isDate(date) {
  if (!/^\d{2}(\d{2}|<<)(\d{2}|<<)$/.test(date)) { return false; }
  const month = date.slice(2, 4), day = date.slice(4);
  if (month === "<<") { return day === "<<"; }
  const number = Number(month);
  if (number < 1 || number > 12) { return false; }
  if (day === "<<") { return true; }
  // The century is not written, and 2000 was a leap year.
  const february = Number(date.slice(0, 2)) % 4 === 0 ? 29 : 28;
  const longest = number === 2 ? february : [4, 6, 9, 11].includes(number) ? 30 : 31;
  return Number(day) >= 1 && Number(day) <= longest;
}

/**
 * The document number as it was typed, without spaces and fillers at the end.
 * @param {string} text
 * @returns {string | null} null for characters that no document number has
 */
export function numberOf(text) {
  const number = text.toUpperCase().replace(/[\s-]/g, "").replace(/<+$/, "");
  return /^[A-Z0-9<]{1,22}$/.test(number) ? number : null;
}

/**
 * The check digit that follows a field in the zone; the user compares it with the printed one.
 * @param {Field} field
 * @param {string} value
 */
export function printedDigit(field, value) {
  return checkDigit(field === "documentNumber" ? value.padEnd(9, "<") : value);
}

/**
 * A date of the zone with its century: nobody was born in the future, and no document expires fifty years from now.
 * @param {string | undefined} date YYMMDD
 * @param {"birth" | "expiry"} meaning
 * @param {Date} today
 * @returns {string | undefined} YYYY-MM-DD; unchanged if a part is not known
 */
export function fullDate(date, meaning, today = new Date()) {
  if (!date || !/^\d{6}$/.test(date)) { return date; }
  const rest = `-${date.slice(2, 4)}-${date.slice(4)}`;
  const recent = `20${date.slice(0, 2)}${rest}`;
  const limit = new Date(today);
  if (meaning === "expiry") { limit.setFullYear(limit.getFullYear() + 50); }
  return recent <= limit.toISOString().slice(0, 10) ? recent : `19${date.slice(0, 2)}${rest}`;
}

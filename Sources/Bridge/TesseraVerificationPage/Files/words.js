// @ts-check
// The words of the page in English and German. The page begins in the language of the system.

const english = {
  title: "Check a document",
  other: "Deutsch",
  asker: "for {name}.",
  receives: "{host} receives the result: {names}.",
  enterTitle: "Lay the document on the reader",
  enterHint: "Then type what is printed on it. It opens the chip, and nobody else receives it.",
  formLegend: "Type",
  formFields: "Number and dates",
  formZone: "The lines at the bottom",
  camera: "Use the camera",
  cameraRunning: "Hold the lines at the bottom in front of the camera.",
  number: "Document number",
  birth: "Date of birth",
  expiry: "Date of expiry",
  dateForm: "Day.month.year, or YYMMDD as at the bottom of the page.",
  zone: "Machine readable zone",
  digit: "The check digit after it must be {digit}.",
  wrongNumber: "A document number has letters and digits only.",
  wrongDate: "This is not a date. Write it like 12.08.1974 or 740812.",
  missing: "Please fill this in.",
  zoneIncomplete: "{count} characters so far. Two lines of 44 or 36, or three of 30.",
  zoneComplete: "The check digits are right.",
  zoneWrong: {
    zone: "This is longer than a machine readable zone.",
    documentNumber: "The check digit of the document number is wrong.",
    dateOfBirth: "The check digit of the date of birth is wrong.",
    dateOfExpiry: "The check digit of the date of expiry is wrong.",
  },
  read: "Read the document",
  leave: "Cancel",
  readingTitle: "Reading the chip",
  readingHint: "Keep the document still on the reader.",
  stop: "Stop",
  steps: ["Waiting for the document", "Connecting", "Opening the chip", "Reading the data", "Asking the chip for a proof",
    "Judging"],
  bytes: "{file}: {read} of {total} bytes",
  genuine: "Genuine",
  notGenuine: "Not genuine",
  notEstablished: "Not established",
  genuineBy: "Signed by {authority}.",
  reasons: {
    dumpModified: "The data were changed after the read.",
    data: "The data are not as the issuing country signed them.",
    documentSigner: "The certificate of the signer is forged, or not for this document.",
    chip: "The chip answered wrongly when it was to prove that it is the original. It may be a copy.",
    machineReadableZone: "The machine readable zone contradicts itself, or what was typed.",
    signature: "The signature of the data could not be verified.",
    dataGroupMissing: "Data that the issuing country signed are missing.",
    noCountryCertificates: "No country certificates are installed. `tessera trust import` installs them.",
    unknownIssuer: "The certificates of the issuing country are not installed. `tessera trust import` installs them.",
    signerNotVerified: "The certificate of the signer could not be verified.",
    signerNotAccepted: "The signer may not sign documents of this kind.",
    signerNotValid: "The certificate of the signer is not valid.",
    signerRevoked: "The issuing country revoked the certificate of the signer.",
    revocationNotDecided: "A revocation list of the issuing country is malformed.",
    accessControl: "The protection of the chip may have been weakened.",
    challenge: "The chip did not answer the question that it was asked.",
    chipProof: "The chip did not prove that it is the original.",
    keyCompromised: "The key with which the chip proves itself may be known to others.",
    failedCheck: "A check failed.",
    publicKeys: "The document belongs to a test country, whose keys everybody knows.",
  },
  noPortrait: "No picture",
  portraitOf: "Picture in the chip",
  checks: "Checks",
  status: {passed: "Passed", failed: "Failed", skipped: "Skipped", unsupported: "Not supported"},
  checkNames: {
    "mrz.checkDigits": "Check digits", "mrz.matchesKey": "Match with the data page",
    "passive.hashes": "Integrity of the data", "passive.signature": "Signature of the data",
    "passive.chain": "Trust in the signer", "passive.revocation": "Revocation of the signer",
    "passive.validity": "Validity of the certificates", "chip.authentication": "Chip Authentication",
    "active.authentication": "Active Authentication", "pace.chipAuthentication": "PACE Chip Authentication",
    "terminal.authentication": "Terminal Authentication", "document.expiry": "Expiry of the document",
  },
  found: "Found",
  done: "Done",
  save: "Save the report",
  signOpen: "Sign the result",
  key: "Key",
  sign: "Sign and save",
  signed: "Signed with the key “{key}”.",
  newKey: "There is no key “{key}”. Press again to make it.",
  privacy: "Nothing is stored. What was read is forgotten after “Done” or two minutes.",
  data: {name: "Name", number: "Document number", type: "Document", state: "Issued by", nationality: "Nationality",
    birth: "Date of birth", expiry: "Date of expiry", sex: "Sex", personal: "Personal number",
    zoneName: "Name in the machine readable zone", birthPlace: "Place of birth"},
  problems: {
    NO_TRANSPORT: "This page has no connection to Tessera. Open it with `tessera open` or at the address of `tessera serve --page`.",
    NOT_CONFIGURED: "Tessera has no provider for this device.",
    NFC_NOT_SUPPORTED: "No document reader is connected. Plug one in and try again.",
    NFC_NOT_ENABLED: "The document reader is not available. `tessera doctor` says why.",
    NFC_NOT_ISO_DEP: "What lies on the reader is not an electronic document.",
    NFC_BUSY: "Another program or page is using the reader.",
    AUTH_FAILED: "The chip refused the key. Compare the number and the dates with the document.",
    NFC_SCAN_FAILED: "The document could not be read: {message}",
    BRIDGE_TIMEOUT: "Tessera did not answer in time. Try again.",
    NOT_ALLOWED: "This page is not allowed to do that. `tessera grants` shows what pages may do.",
    other: "That did not work: {message}",
  },
};

/** @type {typeof english} */
const german = {
  title: "Dokument prüfen",
  other: "English",
  asker: "für {name}.",
  receives: "{host} erhält das Ergebnis: {names}.",
  enterTitle: "Legen Sie das Dokument auf den Leser",
  enterHint: "Geben Sie dann ein, was darauf gedruckt ist. Es öffnet den Chip, und niemand sonst erhält es.",
  formLegend: "Eingabe",
  formFields: "Nummer und Daten",
  formZone: "Die Zeilen am unteren Rand",
  camera: "Kamera verwenden",
  cameraRunning: "Halten Sie die Zeilen am unteren Rand vor die Kamera.",
  number: "Dokumentnummer",
  birth: "Geburtsdatum",
  expiry: "Gültig bis",
  dateForm: "Tag.Monat.Jahr, oder JJMMTT wie am unteren Rand der Seite.",
  zone: "Maschinenlesbare Zone",
  digit: "Die Prüfziffer dahinter muss {digit} sein.",
  wrongNumber: "Eine Dokumentnummer hat nur Buchstaben und Ziffern.",
  wrongDate: "Das ist kein Datum. Schreiben Sie es wie 12.08.1974 oder 740812.",
  missing: "Bitte ausfüllen.",
  zoneIncomplete: "Bisher {count} Zeichen. Zwei Zeilen mit 44 oder 36, oder drei mit 30.",
  zoneComplete: "Die Prüfziffern stimmen.",
  zoneWrong: {
    zone: "Das ist länger als eine maschinenlesbare Zone.",
    documentNumber: "Die Prüfziffer der Dokumentnummer ist falsch.",
    dateOfBirth: "Die Prüfziffer des Geburtsdatums ist falsch.",
    dateOfExpiry: "Die Prüfziffer des Ablaufdatums ist falsch.",
  },
  read: "Dokument lesen",
  leave: "Abbrechen",
  readingTitle: "Der Chip wird gelesen",
  readingHint: "Lassen Sie das Dokument ruhig auf dem Leser liegen.",
  stop: "Anhalten",
  steps: ["Warten auf das Dokument", "Verbinden", "Chip öffnen", "Daten lesen", "Beweis vom Chip verlangen", "Beurteilen"],
  bytes: "{file}: {read} von {total} Bytes",
  genuine: "Echt",
  notGenuine: "Nicht echt",
  notEstablished: "Nicht festgestellt",
  genuineBy: "Signiert von: {authority}.",
  reasons: {
    dumpModified: "Die Daten wurden nach dem Lesen geändert.",
    data: "Die Daten sind nicht so, wie der ausstellende Staat sie signiert hat.",
    documentSigner: "Das Zertifikat des Ausstellers ist gefälscht oder gilt nicht für dieses Dokument.",
    chip: "Der Beweis des Chips, dass er das Original ist, ist falsch. Er kann eine Kopie sein.",
    machineReadableZone: "Die maschinenlesbare Zone widerspricht sich oder der Eingabe.",
    signature: "Die Signatur der Daten ließ sich nicht prüfen.",
    dataGroupMissing: "Daten, die der ausstellende Staat signiert hat, fehlen.",
    noCountryCertificates: "Keine Länderzertifikate sind installiert. `tessera trust import` installiert sie.",
    unknownIssuer: "Die Zertifikate des ausstellenden Staates sind nicht installiert. `tessera trust import` installiert sie.",
    signerNotVerified: "Das Zertifikat des Ausstellers ließ sich nicht prüfen.",
    signerNotAccepted: "Der Aussteller darf Dokumente dieser Art nicht signieren.",
    signerNotValid: "Das Zertifikat des Ausstellers ist nicht gültig.",
    signerRevoked: "Der ausstellende Staat hat das Zertifikat des Ausstellers gesperrt.",
    revocationNotDecided: "Eine Sperrliste des ausstellenden Staates ist fehlerhaft.",
    accessControl: "Der Schutz des Chips wurde vielleicht geschwächt.",
    challenge: "Der Chip hat die gestellte Frage nicht beantwortet.",
    chipProof: "Der Chip hat nicht bewiesen, dass er das Original ist.",
    keyCompromised: "Der Schlüssel, mit dem sich der Chip ausweist, ist vielleicht anderen bekannt.",
    failedCheck: "Eine Prüfung wurde nicht bestanden.",
    publicKeys: "Das Dokument gehört zu einem Teststaat, dessen Schlüssel jeder kennt.",
  },
  noPortrait: "Kein Bild",
  portraitOf: "Bild im Chip",
  checks: "Prüfungen",
  status: {passed: "Bestanden", failed: "Nicht bestanden", skipped: "Ausgelassen", unsupported: "Nicht unterstützt"},
  checkNames: {
    "mrz.checkDigits": "Prüfziffern", "mrz.matchesKey": "Übereinstimmung mit der Datenseite",
    "passive.hashes": "Unversehrtheit der Daten", "passive.signature": "Signatur der Daten",
    "passive.chain": "Vertrauen in den Aussteller", "passive.revocation": "Sperrung des Ausstellers",
    "passive.validity": "Gültigkeit der Zertifikate", "chip.authentication": "Chip Authentication",
    "active.authentication": "Active Authentication", "pace.chipAuthentication": "PACE Chip Authentication",
    "terminal.authentication": "Terminal Authentication", "document.expiry": "Ablauf des Dokuments",
  },
  found: "Befund",
  done: "Fertig",
  save: "Bericht speichern",
  signOpen: "Ergebnis signieren",
  key: "Schlüssel",
  sign: "Signieren und speichern",
  signed: "Mit dem Schlüssel „{key}“ signiert.",
  newKey: "Es gibt keinen Schlüssel „{key}“. Drücken Sie noch einmal, um ihn zu erzeugen.",
  privacy: "Nichts wird gespeichert. Was gelesen wurde, ist nach „Fertig“ oder zwei Minuten vergessen.",
  data: {name: "Name", number: "Dokumentnummer", type: "Dokument", state: "Ausgestellt von", nationality: "Staatsangehörigkeit",
    birth: "Geburtsdatum", expiry: "Gültig bis", sex: "Geschlecht", personal: "Persönliche Nummer",
    zoneName: "Name in der maschinenlesbaren Zone", birthPlace: "Geburtsort"},
  problems: {
    NO_TRANSPORT: "Diese Seite hat keine Verbindung zu Tessera. Öffnen Sie sie mit `tessera open` oder unter der Adresse von `tessera serve --page`.",
    NOT_CONFIGURED: "Tessera hat keinen Anbieter für dieses Gerät.",
    NFC_NOT_SUPPORTED: "Kein Dokumentleser ist angeschlossen. Schließen Sie einen an und versuchen Sie es noch einmal.",
    NFC_NOT_ENABLED: "Der Dokumentleser ist nicht verfügbar. `tessera doctor` nennt den Grund.",
    NFC_NOT_ISO_DEP: "Was auf dem Leser liegt, ist kein elektronisches Dokument.",
    NFC_BUSY: "Ein anderes Programm oder eine andere Seite verwendet den Leser.",
    AUTH_FAILED: "Der Chip lehnte den Schlüssel ab. Vergleichen Sie die Nummer und die Daten mit dem Dokument.",
    NFC_SCAN_FAILED: "Das Dokument konnte nicht gelesen werden: {message}",
    BRIDGE_TIMEOUT: "Tessera antwortete nicht rechtzeitig. Versuchen Sie es noch einmal.",
    NOT_ALLOWED: "Diese Seite darf das nicht. `tessera grants` zeigt, was Seiten dürfen.",
    other: "Das gelang nicht: {message}",
  },
};

/** @typedef {typeof english} Words */

/** @type {Record<string, Words>} */
const languages = {en: english, de: german};

/** @param {string} tag of the language (BCP 47) */
const known = (tag) => tag.toLowerCase().startsWith("de") ? "de" : "en";

export let language = known(navigator.language);
/** Whether the user chose the language. Then the system's does not count. */
let isChosen = false;

/** @returns {Words} */
export const words = () => languages[language];

/**
 * Replaces `{name}` by values.
 * @param {string} text
 * @param {Record<string, string | number | null>} values
 */
export function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Writes the words of the language into the elements that name them. */
export function translate() {
  document.documentElement.lang = language;
  const all = /** @type {Record<string, any>} */ (words());
  for (const element of document.querySelectorAll("[data-words]")) {
    const name = element.getAttribute("data-words");
    if (name) { element.textContent = all[name]; }
  }
}

/** Changes to the other language at the wish of the user. */
export function changeLanguage() {
  isChosen = true;
  language = language === "en" ? "de" : "en";
  translate();
}

/**
 * Follows the language of the system. Returns whether it is another one.
 * @param {string} tag
 */
export function setLanguage(tag) {
  if (isChosen || known(tag) === language) { return false; }
  language = known(tag);
  translate();
  return true;
}

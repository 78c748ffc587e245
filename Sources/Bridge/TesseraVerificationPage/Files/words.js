// @ts-check
// The words of the page in English and German, and in the languages of a kiosk's theme. The page begins in the language of
// the system.

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
  sealOpen: "Scan a seal",
  sealAbout: "A visa, a permit or an e-visa has no chip, but a seal: a barcode that the issuing country signed.",
  sealTitle: "Scanning the seal",
  sealHint: "Hold the barcode flat in front of the camera, with the lines at the bottom of the document if it has them.",
  sealStates: {
    no_barcode: "No barcode is seen yet.",
    mrz_detected: "The lines at the bottom are seen, and no barcode yet.",
    other_barcode: "This barcode is no seal of a travel document.",
    seal_detected: "The seal is seen and verified.",
  },
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
  sealReasons: {
    data: "The seal is not as the issuing country signed it.",
    signer: "The certificate of the signer is forged, or not for this document.",
    document: "The document differs from its seal.",
    format: "The seal is not as its format demands.",
    notSigned: "The barcode is not signed.",
    unknownSigner: "The certificate of the signer is not installed. `tessera trust import` installs it.",
    otherPassport: "The seal names another passport than the one that was read with it.",
    machineReadableZone: "The machine readable zone in the seal has a wrong check digit.",
    printedZone: "The lines at the bottom differ from the seal. They may be misread, or those of another document.",
  },
  comparisons: {
    notCompared: "Not compared with a document: a copy of a seal is as good as the original.",
    equalsZone: "The seal equals the lines at the bottom of the document.",
    namesPassport: "The seal names the passport that was read with it.",
    differs: "The seal differs from what was read with it.",
  },
  signer: "Signer",
  signerData: {subject: "Name", issuer: "Issued by", serialNumber: "Serial number", validity: "Valid", sha256: "SHA-256"},
  element: "Element {tag}",
  moreFields: "{count} more are in the report that you can save.",
  moreFieldsNotShown: "{count} more are not shown.",
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
    "seal.format": "Form of the seal", "seal.signature": "Signature of the data", "seal.chain": "Trust in the signer",
    "seal.revocation": "Revocation of the signer", "seal.validity": "Validity of the certificates",
    "seal.documentType": "Type of the document", "seal.matchesDocument": "Match with the document",
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
  // Where the operator of a kiosk keeps results.
  privacyKept: "The operator of this kiosk receives the result. This screen forgets it after “Done” or two minutes.",
  enterHintKept: "Then type what is printed on it. It opens the chip.",
  askForHelp: "Please ask for help.",
  readerReady: "The reader is ready.",
  readerOccupied: "A document lies on the reader.",
  readerMissing: "The reader is not connected. Please ask for help.",
  notStored: "A result is not stored yet. Please ask for help.",
  wrongClock: "The clock of this machine is wrong, so verdicts may be, too. Please ask for help.",
  // The window says these where the page is gone.
  oneMoment: "One moment",
  startsAgain: "This screen starts again.",
  tryAgain: "Try again",
  data: {name: "Name", number: "Document number", type: "Document", state: "Issued by", nationality: "Nationality",
    birth: "Date of birth", expiry: "Date of expiry", sex: "Sex", personal: "Personal number",
    zoneName: "Name in the machine readable zone", birthPlace: "Place of birth"},
  // What is not here has its own name, in English.
  fieldNames: {mrz: "Machine readable zone", azrNumber: "AZR number", version: "Version", country: "Country", signer: "Signer",
    reference: "Reference", issueDate: "Issue date", signatureDate: "Signature date", definition: "Definition",
    category: "Category", identifier: "Identifier", algorithm: "Algorithm", type: "Type"},
  problems: {
    NO_TRANSPORT: "This page has no connection to Tessera. Open it with `tessera open` or at the address of `tessera serve --page`.",
    NOT_CONFIGURED: "Tessera has no provider for this device.",
    NFC_NOT_SUPPORTED: "No document reader is connected. Plug one in and try again.",
    NFC_NOT_ENABLED: "The document reader is not available. `tessera doctor` says why.",
    NFC_NOT_ISO_DEP: "What lies on the reader is not an electronic document.",
    NFC_BUSY: "Another program or page is using the reader.",
    CAMERA_BUSY: "Another program or page is using the camera.",
    CAMERA_INIT_FAILED: "The camera does not start. `tessera doctor` says why.",
    CAMERA_PERMISSION_DENIED: "The use of the camera is not permitted. `tessera doctor` says why.",
    SEAL_SCAN_FAILED: "No seal was read: {message} Hold the barcode flat and close, in good light. If that does not help, `tessera call camera.scanSeal` says why.",
    AUTH_FAILED: "The chip refused the key. Compare the number and the dates with the document.",
    INVALID_PARAMS: "The number or a date is not as printed: {message}",
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
  sealOpen: "Siegel scannen",
  sealAbout: "Ein Visum, ein Aufenthaltstitel oder ein E-Visum hat keinen Chip, aber ein Siegel: einen Barcode, den der ausstellende Staat signiert hat.",
  sealTitle: "Das Siegel wird gescannt",
  sealHint: "Halten Sie den Barcode flach vor die Kamera, mit den Zeilen am unteren Rand des Dokuments, falls es sie hat.",
  sealStates: {
    no_barcode: "Noch ist kein Barcode zu sehen.",
    mrz_detected: "Die Zeilen am unteren Rand sind zu sehen, aber noch kein Barcode.",
    other_barcode: "Dieser Barcode ist kein Siegel eines Reisedokuments.",
    seal_detected: "Das Siegel ist zu sehen und wird geprüft.",
  },
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
  sealReasons: {
    data: "Das Siegel ist nicht so, wie der ausstellende Staat es signiert hat.",
    signer: "Das Zertifikat des Ausstellers ist gefälscht oder gilt nicht für dieses Dokument.",
    document: "Das Dokument weicht von seinem Siegel ab.",
    format: "Das Siegel ist nicht so, wie sein Format es verlangt.",
    notSigned: "Der Barcode ist nicht signiert.",
    unknownSigner: "Das Zertifikat des Ausstellers ist nicht installiert. `tessera trust import` installiert es.",
    otherPassport: "Das Siegel nennt einen anderen Pass als den, der mit ihm gelesen wurde.",
    machineReadableZone: "Die maschinenlesbare Zone im Siegel hat eine falsche Prüfziffer.",
    printedZone: "Die Zeilen am unteren Rand weichen vom Siegel ab. Vielleicht wurden sie falsch gelesen oder gehören zu einem anderen Dokument.",
  },
  comparisons: {
    notCompared: "Mit keinem Dokument verglichen: Die Kopie eines Siegels ist so gut wie das Original.",
    equalsZone: "Das Siegel gleicht den Zeilen am unteren Rand des Dokuments.",
    namesPassport: "Das Siegel nennt den Pass, der mit ihm gelesen wurde.",
    differs: "Das Siegel weicht von dem ab, was mit ihm gelesen wurde.",
  },
  signer: "Aussteller",
  signerData: {subject: "Name", issuer: "Ausgestellt von", serialNumber: "Seriennummer", validity: "Gültig", sha256: "SHA-256"},
  element: "Element {tag}",
  moreFields: "{count} weitere stehen im Bericht, den Sie speichern können.",
  moreFieldsNotShown: "{count} weitere werden nicht gezeigt.",
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
    "seal.format": "Form des Siegels", "seal.signature": "Signatur der Daten", "seal.chain": "Vertrauen in den Aussteller",
    "seal.revocation": "Sperrung des Ausstellers", "seal.validity": "Gültigkeit der Zertifikate",
    "seal.documentType": "Art des Dokuments", "seal.matchesDocument": "Übereinstimmung mit dem Dokument",
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
  privacyKept: "Der Betreiber dieses Geräts erhält das Ergebnis. Dieser Bildschirm vergisst es nach „Fertig“ oder zwei Minuten.",
  enterHintKept: "Geben Sie dann ein, was darauf gedruckt ist. Es öffnet den Chip.",
  askForHelp: "Bitte fragen Sie nach Hilfe.",
  readerReady: "Der Leser ist bereit.",
  readerOccupied: "Ein Dokument liegt auf dem Leser.",
  readerMissing: "Der Leser ist nicht angeschlossen. Bitte fragen Sie nach Hilfe.",
  notStored: "Ein Ergebnis ist noch nicht gespeichert. Bitte fragen Sie nach Hilfe.",
  wrongClock: "Die Uhr dieses Geräts geht falsch, Urteile können deshalb falsch sein. Bitte fragen Sie nach Hilfe.",
  oneMoment: "Einen Moment",
  startsAgain: "Dieser Bildschirm startet neu.",
  tryAgain: "Noch einmal",
  data: {name: "Name", number: "Dokumentnummer", type: "Dokument", state: "Ausgestellt von", nationality: "Staatsangehörigkeit",
    birth: "Geburtsdatum", expiry: "Gültig bis", sex: "Geschlecht", personal: "Persönliche Nummer",
    zoneName: "Name in der maschinenlesbaren Zone", birthPlace: "Geburtsort"},
  fieldNames: {mrz: "Maschinenlesbare Zone", azrNumber: "AZR-Nummer", version: "Version", country: "Land", signer: "Aussteller",
    reference: "Referenz", issueDate: "Ausgestellt am", signatureDate: "Signiert am", definition: "Definition",
    category: "Kategorie", identifier: "Kennung", algorithm: "Algorithmus", type: "Art"},
  problems: {
    NO_TRANSPORT: "Diese Seite hat keine Verbindung zu Tessera. Öffnen Sie sie mit `tessera open` oder unter der Adresse von `tessera serve --page`.",
    NOT_CONFIGURED: "Tessera hat keinen Anbieter für dieses Gerät.",
    NFC_NOT_SUPPORTED: "Kein Dokumentleser ist angeschlossen. Schließen Sie einen an und versuchen Sie es noch einmal.",
    NFC_NOT_ENABLED: "Der Dokumentleser ist nicht verfügbar. `tessera doctor` nennt den Grund.",
    NFC_NOT_ISO_DEP: "Was auf dem Leser liegt, ist kein elektronisches Dokument.",
    NFC_BUSY: "Ein anderes Programm oder eine andere Seite verwendet den Leser.",
    CAMERA_BUSY: "Ein anderes Programm oder eine andere Seite verwendet die Kamera.",
    CAMERA_INIT_FAILED: "Die Kamera startet nicht. `tessera doctor` nennt den Grund.",
    CAMERA_PERMISSION_DENIED: "Die Kamera darf nicht verwendet werden. `tessera doctor` nennt den Grund.",
    SEAL_SCAN_FAILED: "Kein Siegel wurde gelesen: {message} Halten Sie den Barcode flach und nah, bei gutem Licht. Hilft das nicht, nennt `tessera call camera.scanSeal` den Grund.",
    AUTH_FAILED: "Der Chip lehnte den Schlüssel ab. Vergleichen Sie die Nummer und die Daten mit dem Dokument.",
    INVALID_PARAMS: "Die Nummer oder ein Datum ist nicht wie gedruckt: {message}",
    NFC_SCAN_FAILED: "Das Dokument konnte nicht gelesen werden: {message}",
    BRIDGE_TIMEOUT: "Tessera antwortete nicht rechtzeitig. Versuchen Sie es noch einmal.",
    NOT_ALLOWED: "Diese Seite darf das nicht. `tessera grants` zeigt, was Seiten dürfen.",
    other: "Das gelang nicht: {message}",
  },
};

/** @typedef {typeof english} Words */

/** @typedef {{results?: boolean, seals?: boolean, logo?: string, language?: string, words?: Record<string, any>, fields?: string[]}} Kiosk */

/**
 * What `tessera kiosk` says before this script; null elsewhere.
 * @type {Kiosk | null}
 */
export const kiosk = /** @type {any} */ (globalThis).tesseraKiosk ?? null;

/** @type {Record<string, Words>} */
const languages = {en: english, de: german};

/**
 * Words with those of a theme over them.
 * @param {any} base
 * @param {any} texts
 * @returns {any}
 */
function themed(base, texts) {
  if (typeof texts !== typeof base || Array.isArray(texts) !== Array.isArray(base)) { return base; }
  // A list has a place for each step.
  if (Array.isArray(base)) { return base.map((text, index) => texts[index] ?? text); }
  if (typeof base !== "object") { return texts; }
  return Object.fromEntries(
    Object.entries(base).map(([name, value]) => [name, Object.hasOwn(texts, name) ? themed(value, texts[name]) : value]));
}

/**
 * A guest has no shell: instead of a sentence with a command, the text says whom to turn to.
 * @param {any} texts
 * @param {string} help
 * @returns {any}
 */
function forGuests(texts, help) {
  if (typeof texts === "string") { return texts.replace(/(^|\s)[^.!?]*`[^`]*`[^.!?]*[.!?]/g, (whole, space) => space + help); }
  if (Array.isArray(texts)) { return texts.map((text) => forGuests(text, help)); }
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, forGuests(value, help)]));
}

if (kiosk) {
  for (const [tag, texts] of Object.entries(kiosk.words ?? {})) {
    const name = tag.toLowerCase();
    languages[name] = themed(languages[name] ?? english, texts);
  }
  for (const name of Object.keys(languages)) {
    const texts = forGuests(languages[name], languages[name].askForHelp);
    languages[name] = kiosk.results ? {...texts, privacy: texts.privacyKept, enterHint: texts.enterHintKept} : texts;
  }
}

/**
 * The language of a tag (BCP 47), of its first part, or English.
 * @param {string} tag
 */
function known(tag) {
  const name = tag.toLowerCase(), first = name.split("-")[0];
  return Object.hasOwn(languages, name) ? name : Object.hasOwn(languages, first) ? first : "en";
}

export let language = known(kiosk?.language ?? navigator.language);
/** Whether the user, or the theme of a kiosk, chose the language. Then the system's does not count. */
let isChosen = Boolean(kiosk?.language);
/** The language before a guest chose one. */
let first = language;

/** The language after the present one. */
function next() {
  const names = Object.keys(languages);
  return names[(names.indexOf(language) + 1) % names.length];
}

/** The next language and its name, for the button that changes to it. */
export function otherLanguage() {
  const tag = next();
  // With two languages, the words name the other one.
  const name = kiosk?.words ? new Intl.DisplayNames([tag], {type: "language"}).of(tag) ?? tag : words().other;
  return {tag, name};
}

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
  document.documentElement.dir = ["ar", "fa", "he", "ur"].includes(language.split("-")[0]) ? "rtl" : "ltr";
  const all = /** @type {Record<string, any>} */ (words());
  for (const element of document.querySelectorAll("[data-words]")) {
    const name = element.getAttribute("data-words");
    if (name) { element.textContent = all[name]; }
  }
}

/** Changes to the next language at the wish of the user. */
export function changeLanguage() {
  isChosen = true;
  language = next();
  translate();
}

/**
 * Follows the language of the system. Returns whether it is another one.
 * @param {string} tag
 */
export function setLanguage(tag) {
  if (isChosen || known(tag) === language) { return false; }
  language = known(tag);
  first = language;
  translate();
  return true;
}

/** Returns to the language of the beginning, for the next guest. Returns whether it was another one. */
export function resetLanguage() {
  isChosen = Boolean(kiosk?.language);
  if (language === first) { return false; }
  language = first;
  translate();
  return true;
}

"use strict";
// Calls every method of the protocol through the client, and reports the answers: POST /report. What differs by nature
// between two runs (keys, signatures, times) is verified here and then replaced by a word.

const key = Object.fromEntries(new URLSearchParams(location.search));

/** A signature in DER as two numbers of 32 bytes, which is what Web Crypto verifies. */
function rawSignature(der) {
  const numbers = [];
  let at = 2;
  for (let part = 0; part < 2; part += 1) {
    const length = der[at + 1];
    const number = [...der.slice(at + 2, at + 2 + length)];
    while (number.length > 32) { number.shift(); }
    while (number.length < 32) { number.unshift(0); }
    numbers.push(...number);
    at += 2 + length;
  }
  return Uint8Array.from(numbers);
}

async function isSigned(point, signature, text) {
  const algorithm = {name: "ECDSA", namedCurve: "P-256"};
  const imported = await crypto.subtle.importKey("raw", point, algorithm, false, ["verify"]);
  return crypto.subtle.verify(
    {name: "ECDSA", hash: "SHA-256"}, imported, rawSignature(signature), new TextEncoder().encode(text));
}

/** The form of a value: names and types. Of a scan, the values differ by what the chip draws at random. */
function form(value) {
  if (Array.isArray(value)) { return value.length ? [form(value[0])] : []; }
  if (value === null || typeof value !== "object") { return value === null ? null : typeof value; }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, form(inner)]).sort());
}

(async () => {
  const bridge = new WebViewBridge(), device = adapters(bridge), answers = {};
  async function step(name, action) {
    try {
      const value = await action();
      answers[name] = value === undefined ? null : value;
    } catch (error) { answers[name] = `error ${error.code ?? error}`; }
  }
  const raw = (target, params, timeout) => step(`${target} ${JSON.stringify(params ?? {})}`, () => {
    const [domain, method] = target.split(".");
    return bridge.request(domain, method, params, timeout);
  });
  await step("transport", () => bridge.transport !== null);

  await step("lifecycle.getConfig", async () => form(await bridge.request("lifecycle", "getConfig", {}, 800)));
  await raw("lifecycle.ready", {verificationId: "v"});
  await raw("lifecycle.startRelayListener", {});

  await step("nfc.isSupported", device.nfc.isSupported);
  const steps = [];
  const scanned = {};
  await step("nfc.scan", async () => {
    Object.assign(scanned, await device.nfc.scan(
      {passportNumber: key.number, dateOfBirth: key.birth, dateOfExpiry: key.expiry, sessionId: "s"},
      (event) => steps.push([event.step, event.stateIndex])));
    return form(scanned);
  });
  await step("nfc.scan, the zone", () => [scanned.documentNumber, scanned.surname, scanned.givenNames, scanned.nationality,
    scanned.dateOfBirth, scanned.dateOfExpiry, scanned.passportData?.mrz]);
  await step("nfc.scan, the steps", () => steps.filter((one, index) => String(one) !== String(steps[index - 1])));
  await step("nfc.scan, a wrong key", () => device.nfc.scan(
    {passportNumber: "X00000000", dateOfBirth: key.birth, dateOfExpiry: key.expiry, sessionId: "s"}, () => {}));
  await raw("nfc.scan", {dateOfBirth: "740812", dateOfExpiry: "120415"});
  await raw("nfc.scan", {passportNumber: "L898902C3", dateOfExpiry: "120415"});
  await raw("nfc.scan", {passportNumber: "L898902C3", dateOfBirth: "740812"});
  await raw("nfc.scanPassport", {});
  await raw("nfc.cancelScan");

  await raw("biometrics.isAvailable");
  await raw("biometrics.getBiometryType");
  await raw("biometrics.authenticate", {reason: "a reason"});

  await step("secureStorage.set", () => device.secureStorage.set("k", "a secret with ä, \u2028 and 'quotes'"));
  await step("secureStorage.get", () => device.secureStorage.get("k"));
  await step("secureStorage.set, large", () => device.secureStorage.set("large", "x".repeat(500_000)));
  await step("secureStorage.get, large", async () => (await device.secureStorage.get("large")).length);
  await step("secureStorage.remove", () => device.secureStorage.remove("k"));
  await step("secureStorage.get, removed", () => device.secureStorage.get("k"));
  await raw("secureStorage.get");
  await raw("secureStorage.set", {key: "k"});
  await raw("secureStorage.remove");
  await raw("secureStorage.clear");
  await step("secureStorage.get, cleared", () => device.secureStorage.get("large"));

  await raw("camera.isAvailable");
  await raw("camera.scanMRZ", {});
  await raw("camera.scanMrz", {});
  await raw("camera.stopCamera");

  await step("crypto.generateKey", () => device.crypto.generateKey("key"));
  const signs = async (text) => {
    const point = await device.crypto.getPublicKey("key");
    const signature = await device.crypto.sign("key", btoa(text));
    return isSigned(point, signature, text);
  };
  await step("crypto.sign", () => signs("a message"));
  await step("crypto.sign, again", () => signs("another message"));
  await step("crypto.getPublicKey, unknown", () => device.crypto.getPublicKey("unknown"));
  await step("crypto.sign, unknown", () => device.crypto.sign("unknown", btoa("a")));
  await step("crypto.sign, no base64", () => device.crypto.sign("key", "%%%"));
  await raw("crypto.generateKey");
  await raw("crypto.getPublicKey");
  await raw("crypto.sign", {keyRef: "key"});
  await raw("crypto.sign", {data: "YQ=="});
  await raw("crypto.deleteKey", {keyRef: "key"});
  await raw("crypto.deleteKey");

  for (const type of ["light", "medium", "heavy", "success", "warning", "error", "selection", "unheard-of"]) {
    await raw("haptic.trigger", {type});
  }
  await raw("haptic.impact", {style: "heavy"});
  await raw("haptic.notification", {type: "success"});
  await raw("haptic.selection");
  await raw("haptic.isAvailable");

  await raw("analytics.trackEvent", {event: "a", properties: {b: [1, null, true]}});
  await raw("analytics.trackNfcEvent", {});
  await raw("analytics.logNfcEvent", {level: "info"});

  await step("documents.loadCatalog, none", device.documents.loadCatalog);
  await step("documents.saveCatalog", () => device.documents.saveCatalog({documents: [{id: "a", "ü": 1.5}]}));
  await step("documents.loadCatalog", device.documents.loadCatalog);
  await step("documents.save", () => device.documents.save("../a", {mrz: "P<UTO", list: [1, 2]}));
  await step("documents.loadById", () => device.documents.loadById("../a"));
  await step("documents.delete", () => device.documents.delete("../a"));
  await step("documents.loadById, deleted", () => device.documents.loadById("../a"));
  await raw("documents.save", {id: "b", document: "a text"});
  await raw("documents.loadById", {id: "b"});
  await raw("documents.saveCatalog", {});
  await raw("documents.save", {id: "b"});
  await raw("documents.save", {data: {}});
  await raw("documents.loadById");
  await raw("documents.delete");
  await raw("documents.set", {key: "c", value: "d"});
  await raw("documents.get", {key: "c"});
  await raw("documents.list");
  await raw("documents.remove", {key: "c"});
  await raw("documents.get");

  await raw("navigation.goBack");
  await raw("navigation.goTo", {routeName: "Home"});
  await raw("navigation.goTo", {});

  await raw("nfc.unheardOf");
  await step("another version", () => new Promise((resolve, reject) => {
    const id = crypto.randomUUID();
    bridge.pending.set(id, {resolve, reject, timer: 0});
    bridge.transport.postMessage(JSON.stringify(
      {type: "request", version: 2, id, domain: "nfc", method: "isSupported", params: {}, timestamp: 0}));
  }));
  // Many at once: each answer goes to its own request.
  await step("many at once", async () => {
    const names = Array.from({length: 50}, (_, index) => `n${index}`);
    await Promise.all(names.map((name) => device.secureStorage.set(name, name)));
    const values = await Promise.all(names.map((name) => device.secureStorage.get(name)));
    return values.every((value, index) => value === names[index]);
  });
  await raw("secureStorage.clear");
  await fetch("/report", {method: "POST", body: JSON.stringify(answers)});
  // The result, then the dismissal, as the mobile app sends them.
  bridge.fire("lifecycle", "setResult", {success: true, userId: "u", verificationId: "v", proof: {a: [1]}, claims: {n: 42}});
  bridge.fire("lifecycle", "dismiss", {reason: "back"});
})();

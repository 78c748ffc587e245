// @ts-check
// Sends the vectors of the bridge with `tessera.js`, as a page uses it. The page asks the test for one case after another over
// the bridge itself (`VectorPage.swift`, the domain `vectors`), and says what came of each.

/**
 * @typedef {import("./tessera.js")} Client
 * @typedef {{domain: string, method: string, params: any}} Request
 * @typedef {Request & {way: "request" | "function", initial: Request[], meanwhile: string | null}} Case
 * @typedef {{timeout: number, onProgress: (data: any) => void}} Options
 * @typedef {{
 *   takes?: "anything" | string[], needs?: string[], isPossible?: (params: any) => boolean,
 *   call: (client: Client, params: any, options: Options) => Promise<any>,
 * }} ClientFunction `takes` and `needs` are members of `params` that the function can and must have; none by default.
 */

// Longer than a slow machine needs.
const timeout = 600_000;

/** @param {Uint8Array} bytes */
const base64 = (bytes) => btoa(String.fromCharCode(...bytes));
/** @param {string} text */
const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
/** @param {{data: string}} params */
const isBytes = ({data}) => {
  try { return btoa(atob(data)) === data; } catch { return false; }
};

/**
 * The functions of the client, by the method that each calls. They return the `data` of the response.
 * @type {Record<string, ClientFunction>}
 */
export const functions = {
  "nfc.isSupported": {call: ({nfc}) => nfc.isSupported()},
  "nfc.scan": {takes: "anything", call: ({nfc}, params, options) => nfc.scan(params, options)},
  "nfc.cancelScan": {call: ({nfc}) => nfc.cancelScan()},

  "camera.isAvailable": {call: ({camera}) => camera.isAvailable()},
  "camera.scanMRZ": {takes: ["scanRect"], call: ({camera}, params, options) => camera.scanMRZ({...params, ...options})},
  "camera.stopCamera": {call: ({camera}) => camera.stopCamera()},

  "biometrics.isAvailable": {call: ({biometrics}) => biometrics.isAvailable()},
  "biometrics.getBiometryType": {call: ({biometrics}) => biometrics.getBiometryType()},
  "biometrics.authenticate": {
    needs: ["reason"], call: ({biometrics}, {reason}, options) => biometrics.authenticate(reason, options),
  },

  "crypto.generateKey": {
    needs: ["keyRef"], takes: ["requireBiometric"],
    call: ({crypt}, {keyRef, ...options}) => crypt.generateKey(keyRef, options),
  },
  // The function has another default than the method.
  "crypto.getPublicKey": {
    needs: ["keyRef"], takes: ["format"],
    call: async ({crypt}, {keyRef, format = "point"}) => ({publicKey: base64(await crypt.getPublicKey(keyRef, format))}),
  },
  "crypto.sign": {
    needs: ["keyRef", "data"], takes: ["format"], isPossible: isBytes,
    call: async ({crypt}, {keyRef, data, ...options}) => ({signature: base64(await crypt.sign(keyRef, bytes(data), options))}),
  },
  "crypto.deleteKey": {needs: ["keyRef"], call: ({crypt}, {keyRef}) => crypt.deleteKey(keyRef)},

  // The answer for this key has one more member, which the function leaves out.
  "secureStorage.get": {
    needs: ["key"], takes: ["requireBiometric"], isPossible: ({key}) => key !== "self_private_key",
    call: async ({secureStorage}, {key, ...options}) => ({value: await secureStorage.get(key, options)}),
  },
  "secureStorage.set": {
    needs: ["key", "value"], takes: ["requireBiometric"],
    call: ({secureStorage}, {key, value, ...options}) => secureStorage.set(key, value, options),
  },
  "secureStorage.remove": {needs: ["key"], call: ({secureStorage}, {key}) => secureStorage.remove(key)},
  "secureStorage.clear": {call: ({secureStorage}) => secureStorage.clear()},

  "documents.list": {call: ({documents}) => documents.list()},
  "documents.get": {needs: ["key"], call: ({documents}, {key}) => documents.get(key)},
  "documents.set": {needs: ["key", "value"], call: ({documents}, {key, value}) => documents.set(key, value)},
  "documents.remove": {needs: ["key"], call: ({documents}, {key}) => documents.remove(key)},

  "haptic.isAvailable": {call: ({haptic}) => haptic.isAvailable()},
  "haptic.trigger": {needs: ["type"], call: ({haptic}, {type}) => haptic.trigger(type)},
};

/**
 * The function of the client that sends this request; null if there is none, or if it cannot have these parameters.
 * @param {Request} request
 */
export function functionFor({domain, method, params}) {
  const own = functions[`${domain}.${method}`];
  if (!own) { return null; }
  const {takes = [], needs = [], isPossible = () => true, call} = own;
  if (takes === "anything") { return call; }
  const names = Object.keys(params);
  const fits = names.every((name) => takes.includes(name) || needs.includes(name))
    && needs.every((name) => names.includes(name));
  return fits && isPossible(params) ? call : null;
}

/**
 * Sends one case.
 * @param {Client} client
 * @param {Case} vector
 * @param {(method: string) => Promise<any>} ask
 */
async function send(client, {domain, method, params, way, initial, meanwhile}, ask) {
  const {BridgeError, camera, listen, nfc, request} = client;
  for (const one of initial) { await request(one.domain, one.method, one.params, {timeout}); }
  // The test looks at what is stored now.
  if (initial.length) { await ask("filled"); }
  const direct = () => request(domain, method, params, {timeout});
  const before = meanwhile === "scan" ? [direct().catch(() => {}), ask("waiting")] : [];
  await before[1];

  /** @type {any[]} */
  const events = [];
  /** @param {any} data */
  const onProgress = (data) => { events.push(data); };
  const call = functionFor({domain, method, params});
  const ends = way === "request"
    ? ["scanProgress", "authenticateProgress"].map((event) => listen(domain, event, onProgress)) : [];
  const answer = (way === "request" || !call ? direct() : call(client, params, {timeout, onProgress})).then(
    (data) => ({data: data ?? null}),
    (error) => error instanceof BridgeError && error.name === "BridgeError"
      ? {error: {code: error.code, message: error.message, details: error.details}} : {unexpected: String(error)});
  if (meanwhile === "cancelScan") { await ask("waiting"); await nfc.cancelScan(); }
  if (meanwhile === "stopCamera") { await ask("waiting"); await camera.stopCamera(); }
  const result = await answer;
  for (const end of ends) { end(); }
  if (meanwhile === "scan") { await nfc.cancelScan(); await before[0]; }
  return {...result, events, hasFunction: call !== null};
}

/**
 * Sends all cases that the test has.
 * @param {Client} client
 */
export async function sendVectors(client) {
  /** @param {string} method @param {object} [said] */
  const ask = (method, said) => client.request("vectors", method, said, {timeout});
  try {
    let said = {};
    for (let vector = await ask("next", said); vector !== null; vector = await ask("next", said)) {
      said = await send(client, vector, ask);
    }
  } catch (error) {
    await ask("failed", {error: String(error)});
  }
}

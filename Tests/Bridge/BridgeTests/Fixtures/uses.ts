// What a page in TypeScript does with the client: every function, with the types that its author relies on. The compiler also
// checks that it refuses what is wrong (`@ts-expect-error`).
import {
  BridgeError, biometrics, camera, connect, crypt, documents, haptic, isPresent, listen, nfc, request, secureStorage,
} from "./tessera.js";
import type {
  AccessKey, CameraOptions, Events, KioskStatus, LaunchConfiguration, LaunchResult, Methods, Outcome, ReaderState, ScanProgress,
  ScanReport, ScanResult, SealOptions, SealReport, SystemState, ZoneFields,
} from "./tessera.js";

const key: AccessKey = {passportNumber: "L898902C3", dateOfBirth: "690806", dateOfExpiry: "2006-08-15"};
const stop = new AbortController();

export async function begin(): Promise<string> {
  const present: boolean = isPresent();
  if (!present) { await connect("http://127.0.0.1:8484"); }
  await connect();
  try { await nfc.isSupported(); } catch (error) {
    if (error instanceof BridgeError) { return `${error.code} ${error.message} ${JSON.stringify(error.details)}`; }
  }
  return new BridgeError({code: "AUTH_FAILED", message: "a message"}).name;
}

export async function chip(): Promise<void> {
  const supported: boolean = await nfc.isSupported();
  const seen: ScanProgress["step"][] = [];
  const result: ScanResult = await nfc.scan(key, {
    onProgress: ({step, percent}) => { seen.push(step); const part: number = percent; void part; },
    signal: stop.signal, timeout: 1_000,
  });
  const outcome: Outcome = result.outcome;
  const isPortraitUnread: boolean = result.notRead.includes("DG2");
  const names: string = result.surname + result.givenNames + result.checks["passive.chain"];
  const later: unknown = result.memberOfALaterVersion;
  const report: ScanReport = await nfc.scanReport({...key, useCan: true, canNumber: "123456"});
  const portrait: string | null = report.portrait;
  const cancelled: null = await nfc.cancelScan();
  const states: ReaderState["change"][] = [];
  const watched: null = await nfc.watchReader((state) => states.push(state.change), {signal: stop.signal});
  const stopped: null = await nfc.stopWatching();
  void [supported, outcome, isPortraitUnread, names, later, portrait, cancelled, watched, stopped];
  // @ts-expect-error: no key.
  await nfc.scan();
  // @ts-expect-error: no date of expiry.
  await nfc.scan({passportNumber: "L898902C3", dateOfBirth: "690806"});
  // @ts-expect-error: no such outcome.
  void (result.outcome === "valid");
}

export async function pictures(): Promise<void> {
  const available: boolean = await camera.isAvailable();
  const options: CameraOptions = {scanRect: {x: 0, y: 0, width: 320, height: 180}, onProgress: ({state}) => void state};
  const zone: ZoneFields = await camera.scanMRZ(options);
  const sealOptions: SealOptions = {onProgress: ({state}) => void (state === "seal_detected")};
  const seal: SealReport = await camera.scanSeal(sealOptions);
  const fields: string[] = seal.fields.map(({label, value}) => `${label}: ${value}`);
  const stopped: null = await camera.stopCamera();
  void [available, zone.documentNumber, fields, seal.signer?.purposes, stopped, await camera.scanMRZ()];
  // @ts-expect-error: half a place.
  await camera.scanMRZ({scanRect: {x: 0, y: 0}});
}

export async function secrets(): Promise<void> {
  const available: boolean = await biometrics.isAvailable();
  const type: string = await biometrics.getBiometryType();
  const by: true | "deviceCredential" = await biometrics.authenticate("Open the wallet", {onProgress: ({message}) => void message});

  const made: {keyRef: string; success: true} = await crypt.generateKey("wallet", {requireBiometric: true});
  const spki: Uint8Array = await crypt.getPublicKey("wallet");
  const point: Uint8Array = await crypt.getPublicKey("wallet", "point");
  const signature: Uint8Array = await crypt.sign("wallet", new TextEncoder().encode("a message"), {format: "p1363"});
  const deleted: null = await crypt.deleteKey("wallet");

  const set: null = await secureStorage.set("token", "a secret", {requireBiometric: true});
  const value: string | null = await secureStorage.get("token");
  const removed: null = await secureStorage.remove("token");
  const cleared: null = await secureStorage.clear();
  void [available, type, by, made, spki, point, signature, deleted, set, value?.length, removed, cleared];
  // @ts-expect-error: the value can be absent.
  void (await secureStorage.get("token")).length;
  // @ts-expect-error: data are bytes.
  await crypt.sign("wallet", "a message");
}

export async function others(): Promise<void> {
  const names: string[] = await documents.list();
  const set: null = await documents.set("d1", {mrz: "P<UTO"});
  const document: unknown = await documents.get("d1");
  const removed: null = await documents.remove("d1");
  const available: boolean = await haptic.isAvailable();
  const felt: null = await haptic.trigger("success");
  void [names, set, document, removed, available, felt, await haptic.trigger()];
}

export async function directly(): Promise<void> {
  const configuration: LaunchConfiguration = await request("lifecycle", "getConfig");
  const scope: string | undefined = configuration.verificationRequest?.scope;
  const result: LaunchResult = {success: true, userId: "user-1", claims: {nationality: "UTO"}};
  const ended: null = await request("lifecycle", "setResult", result, {timeout: 5_000});
  const {handled} = await request("navigation", "goTo", {routeName: "Home"});
  const isHandled: boolean = handled;
  const params: Methods["haptic.impact"]["params"] = {style: "heavy"};
  const felt: null = await request("haptic", "impact", params);
  // A domain of a program.
  const printed: {pages: number} = await request("printer", "print", {text: "a receipt"});
  void [scope, ended, isHandled, felt, printed];
  // @ts-expect-error: the answer has this type.
  const supported: string = await request("nfc", "isSupported");
  // @ts-expect-error: no such style.
  const style: Methods["haptic.impact"]["params"] = {style: "loud"};
  void [supported, style];
}

export function events(): void {
  const ends = [
    listen("nfc", "scanProgress", ({percent, file}) => void (percent + (file?.length ?? 0))),
    listen("nfc", "readerChanged", ({documents}) => void (documents + 1)),
    listen("camera", "scanProgress", ({state}) => void (state === "mrz_detected")),
    listen("biometrics", "authenticateProgress", ({message}) => void message.length),
    listen("lifecycle", "system", (state: SystemState) => void (state.textScale * 2)),
    listen("lifecycle", "kiosk", (status: KioskStatus) => void (status.clock && status.waiting > 0)),
    listen("lifecycle", "cancel", ({reason}) => void (reason === "user_cancel")),
    listen("printer", "finished", (data) => void data.pages),
  ];
  for (const end of ends) { end(); }
  // @ts-expect-error: no such event.
  listen("nfc", "scanProgres", () => {});
  // @ts-expect-error: no such member.
  listen("lifecycle", "kiosk", ({results}) => void results);
  const theme: Events["lifecycle.system"]["theme"] = "dark";
  void theme;
}

// The types of tessera.js. The article "The bridge protocol" says what each method does, and which codes an error can have.

/** An error that the bridge answered, or that kept the request from it (`NO_TRANSPORT`, `BRIDGE_TIMEOUT`, `NOT_AVAILABLE`). */
export class BridgeError extends Error {
  constructor(body: {code: string; message: string; details?: unknown});
  /** For example `AUTH_FAILED`; the message is for developers and not stable. */
  readonly code: string;
  readonly details: unknown;
}

export interface RequestOptions {
  /** How long the answer may take, in milliseconds. */
  timeout?: number;
  /** Ends the wait, and a scan; the promise is rejected with the reason of the signal. */
  signal?: AbortSignal;
}

export interface FollowOptions<Progress> extends RequestOptions {
  /** Is called for each step. */
  onProgress?: (progress: Progress) => void;
}

/**
 * Whether the page has a way to Tessera: in a window of Tessera, or after `connect`. False from when the service was found to be gone
 * until a request or `connect` finds it again; true while the first connection is made, and after one that ended since it was idle.
 */
export function isPresent(): boolean;

/**
 * Connects a page that has a copy of this module to the service. A module that came from the service connects by itself, also if the
 * user grants the page something later. Rejected with `NOT_AVAILABLE` if there is no connection then (`BRIDGE_TIMEOUT` after 30 s), or
 * if the page has one to another service; `details.command` is the command for a grant if only that is missing. In a window of
 * Tessera, nothing happens.
 * @param address of the service; by default the one that this module came from, or `http://127.0.0.1:8484`
 */
export function connect(address?: string): Promise<void>;

/**
 * Sends any request of the protocol; the promise has the `data` of the answer. `Methods` has the parameters and the data of each
 * method; the data of a method that a program added have any type.
 */
export function request<Domain extends string, Method extends string>(
  domain: Domain, method: Method, params?: object, options?: RequestOptions): Promise<MethodData<`${Domain}.${Method}`>>;

/** What a kiosk says of itself to each page, and after each change. */
export interface KioskStatus {
  /** How many results are not stored. */
  waiting: number;
  /** False if the clock of the machine is wrong. */
  clock: boolean;
}

/** What a window says of the desktop to each page, and after each change. */
export interface SystemState {
  theme: "light" | "dark";
  /** A language tag (BCP 47). */
  locale: string;
  /** 1 is the normal size of texts. */
  textScale: number;
}

/**
 * Calls `listener` for each event until the returned function is called. `Events` has their data. A domain of a program can have any
 * event.
 */
export function listen<Domain extends string, Event extends string>(
  domain: Domain, event: Event & EventName<Domain, Event>, listener: (data: EventData<`${Domain}.${Event}`>) => void): () => void;

/**
 * What is printed in the document and opens its chip. Dates are `YYMMDD`, `YYYY-MM-DD`, `DD.MM.YYYY` or `DD/MM/YYYY`. In the last
 * two the day comes first: a form whose users write the month first converts their dates. A date that the calendar does not have is
 * refused (`INVALID_PARAMS`), except as `YYMMDD`, which is taken as the document has it, and with a card access number.
 */
export interface AccessKey {
  passportNumber: string;
  dateOfBirth: string;
  dateOfExpiry: string;
  useCan?: boolean;
  /** The card access number, which replaces the other three for PACE if `useCan` is true. */
  canNumber?: string;
  skipPACE?: boolean;
  skipCA?: boolean;
}

export interface ScanProgress {
  step:
    | "waiting_for_tag" | "connecting" | "pace" | "pace_succeeded" | "bac" | "bac_succeeded" | "bac_not_required"
    | "reading_dg1" | "reading_sod" | "chip_auth" | "building_result" | "complete";
  /** 0 to 100 */
  percent: number;
  message: string;
  stateIndex: number;
  /** Of `scanReport`: the file that is read. */
  file?: string;
  bytesRead?: number;
  bytesTotal?: number;
}

export type Outcome = "genuine" | "notGenuine" | "notEstablished";

export interface ScanResult {
  /**
   * Whether the document is genuine. `scan` judges the data of the zone only: it does not read the portrait. Where the portrait
   * matters, call `scanReport`, which reads everything and needs a grant of `nfc.scanReport`.
   */
  outcome: Outcome;
  /** The data groups that the document has and that were not read, for example `DG2`: `outcome` says nothing of them. */
  notRead: string[];
  /** The outcome in one line. */
  verdict: string;
  checks: Record<string, string>;
  findings: {id: string; detail: string}[];
  accessControl: {protocol: string; reason: string | null} | null;
  mrz: string;
  documentType: string;
  issuingState: string;
  surname: string;
  givenNames: string;
  documentNumber: string;
  nationality: string;
  personalNumber: string;
  /** `YYMMDD` */
  dateOfBirth: string;
  /** `YYMMDD` */
  dateOfExpiry: string;
  /** The letter of the zone; `<` if it is unspecified. */
  sex: "M" | "F" | "<";
  /** The same in words, as the Self SDKs have it. */
  gender: "MALE" | "FEMALE" | "UNSPECIFIED";
  /** base64 */
  dg1: string;
  paceSucceeded: boolean;
  chipAuthSucceeded: boolean;
  passportCorrectlySigned: boolean;
  documentSigningCertificateVerified: boolean;
  passportDataNotTampered: boolean;
  /** PEM */
  documentSigningCertificate: string;
  /** The other members of the protocol. */
  [member: string]: unknown;
}

export interface ScanReport extends ScanResult {
  /** What `tessera passport read --json` prints. */
  report: Record<string, unknown>;
  /** The portrait as a `data:` address of a JPEG or PNG. */
  portrait: string | null;
  /** The report as one page of HTML. */
  reportPage: string;
}

export const nfc: {
  isSupported(): Promise<boolean>;
  /** Reads and judges the data of the zone, without the portrait. */
  scan(key: AccessKey, options?: FollowOptions<ScanProgress>): Promise<ScanResult>;
  /** Reads and judges everything. Needs a grant of `nfc.scanReport`, which one of `nfc.scan` does not include. */
  scanReport(key: AccessKey, options?: FollowOptions<ScanProgress>): Promise<ScanReport>;
  cancelScan(): Promise<null>;
  /**
   * The state of the readers at once, and after each change, until `stopWatching` or the signal ends it. Rejected when the service
   * stops (`SCAN_ABORTED`, `details.reason` is `serviceStopping`) or is lost (`NOT_AVAILABLE`). Later requests connect again, a watch
   * does not: call this again.
   */
  watchReader(listener: (state: ReaderState) => void, options?: {signal?: AbortSignal}): Promise<null>;
  stopWatching(): Promise<null>;
};

export interface ReaderState {
  change: "watching" | "reader_connected" | "reader_removed" | "document_placed" | "document_removed";
  readers: number;
  documents: number;
}

export interface ZoneFields {
  documentNumber: string;
  /** `YYMMDD` */
  dateOfBirth: string;
  /** `YYMMDD` */
  dateOfExpiry: string;
  documentType?: string;
  issuingState?: string;
  surname?: string;
  givenNames?: string;
  nationality?: string;
  /** The letter of the zone; `<` if it is unspecified. */
  sex?: string;
  /** The same without a filler, as the Self SDKs have it. */
  gender?: string;
  personalNumber?: string;
  /** The lines, separated by LF. */
  raw?: string;
}

/** Where the picture is shown, in pixels of the page. */
export interface ScanRect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface CameraOptions extends FollowOptions<{state: "no_text" | "text_detected" | "one_mrz_line" | "mrz_detected"}> {
  scanRect?: ScanRect;
}

/** What a picture shows. `mrz_detected`: a machine readable zone, with which the seal will be compared, and no barcode. */
export interface SealOptions extends FollowOptions<{state: "no_barcode" | "mrz_detected" | "other_barcode" | "seal_detected"}> {
  scanRect?: ScanRect;
}

/** A certificate of the signer or of its issuers. Dates are ISO 8601. */
export interface SealCertificate {
  /** `sealSigner`, `countrySigner` or `link`. */
  role: string;
  country: string;
  subject: string;
  issuer: string;
  serialNumber: string;
  sha256: string;
  notBefore: string;
  notAfter: string;
  key: string;
  signatureAlgorithm: string;
  source: string;
}

/**
 * The report on a seal, as `tessera seal verify --json` prints it, and `reportPage`. Its texts come from the barcode: write them with
 * `textContent`, never as HTML.
 */
export interface SealReport {
  kind: "vds" | "vdsNC" | "idb";
  /** For example `visa`; empty if it is not known. */
  document: string;
  /** `genuine`: the country signed these data. A copy of a seal is as good as the original; see `comparison`. */
  outcome: Outcome;
  /** null for `genuine`. */
  outcomeReason: string | null;
  /** The outcome in one line. */
  headline: string;
  /** What the outcome says and what it does not say. */
  meaning: string;
  /** Whether the seal was compared with the document in the picture. */
  comparison: "notCompared" | "equalsZone" | "namesPassport" | "differs";
  /** Whether the seal names the passport that was given; null without one. */
  namesPassport: boolean | null;
  /** The issuing country or organization; empty if it was not read. */
  issuer: string;
  symbol: {format: string; corners: number[][]} | null;
  header: Record<string, string>;
  /** `label` is the name in English words: the field `passportNumber` is "Passport number". */
  fields: {name: string; label: string; value: string; tag: string | null; hex: string | null}[];
  signer: (SealCertificate & {purposes: string[]; documentTypes: string[] | null}) | null;
  chain: SealCertificate[];
  checks: {id: string; status: "passed" | "failed" | "skipped" | "unsupported"; detail: string}[];
  findings: {id: string; detail: string}[];
  /** The status of Doc 9303-13, appendix D. */
  icao: {status: string; sub: string[]};
  /** The name of the trust material, if it is not what the user imported. */
  authority: string | null;
  /** ISO 8601 */
  verifiedAt: string;
  /** The report as one page of HTML, from Tessera's own provider. */
  reportPage?: string;
  /** Members that later versions add. */
  [member: string]: unknown;
}

export const camera: {
  isAvailable(): Promise<boolean>;
  scanMRZ(options?: CameraOptions): Promise<ZoneFields>;
  /** Reads the signed barcode of a document, and verifies it. Needs a grant of its own. */
  scanSeal(options?: SealOptions): Promise<SealReport>;
  stopCamera(): Promise<null>;
};

export const biometrics: {
  isAvailable(): Promise<boolean>;
  getBiometryType(): Promise<string>;
  /** `"deviceCredential"` if the password of the account answered. */
  authenticate(
    reason: string, options?: FollowOptions<{state: string; message: string}>): Promise<true | "deviceCredential">;
};

/** P-256 keys of this page: the domain `crypto`, by another name than the browser's own `crypto`. */
export const crypt: {
  /** Generates a key, and replaces one of that name without asking. */
  generateKey(keyRef: string, options?: {requireBiometric?: boolean}): Promise<{keyRef: string; success: true}>;
  /**
   * The SubjectPublicKeyInfo (`spki`, for `crypto.subtle.importKey`; the default of this function), or the uncompressed point
   * (`point`; the default of the protocol, so of `request`).
   */
  getPublicKey(keyRef: string, format?: "spki" | "point"): Promise<Uint8Array>;
  /**
   * An ECDSA signature with SHA-256 over the data: in DER (`der`, the default), or as r and s of 32 bytes each (`p1363`, which
   * `crypto.subtle.verify` takes).
   */
  sign(keyRef: string, data: BufferSource, options?: {format?: "der" | "p1363"}): Promise<Uint8Array>;
  deleteKey(keyRef: string): Promise<null>;
};

export const secureStorage: {
  get(key: string, options?: {requireBiometric?: boolean}): Promise<string | null>;
  set(key: string, value: string, options?: {requireBiometric?: boolean}): Promise<null>;
  remove(key: string): Promise<null>;
  clear(): Promise<null>;
};

export const documents: {
  list(): Promise<string[]>;
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<null>;
  remove(key: string): Promise<null>;
};

export const haptic: {
  isAvailable(): Promise<boolean>;
  /**
   * Resolves also without a device; ask `isAvailable`. The types are `selection` (the default), `light`, `medium`, `heavy`, `rigid`,
   * `soft`, `success`, `warning` and `error`.
   */
  trigger(type?: string): Promise<null>;
};

/** What the page of a launch decides by; see "The bridge protocol", section lifecycle. */
export interface LaunchConfiguration {
  mode: "self-app" | "embed";
  verificationRequest: {userId?: string; scope?: string; disclosures: string[]; [member: string]: unknown} | null;
  debug: boolean;
  platform: string;
  capabilities: {
    nfc: boolean;
    mrzCamera: boolean;
    biometrics: boolean;
    secureStorage: boolean;
    custodyControls?: boolean;
    saveFiles?: boolean;
  };
  referenceId?: string;
}

/** How a launch ends. A host also takes the forms of older clients. */
export interface LaunchResult {
  success: boolean;
  userId?: string;
  verificationId?: string;
  proof?: unknown;
  claims?: object;
  /** Of a failure. */
  error?: {code: string; message?: string};
}

type Nothing = Record<string, never>;
type ScanHints = {scanRect?: ScanRect; documentType?: string; countryCode?: string};

/** Each method of the protocol: its parameters, and the `data` of its answer. Bytes are base64. */
export interface Methods {
  "nfc.isSupported": {params: Nothing; data: boolean};
  "nfc.scan": {params: AccessKey; data: ScanResult};
  "nfc.scanPassport": {params: AccessKey; data: ScanResult};
  "nfc.scanReport": {params: AccessKey; data: ScanReport};
  "nfc.cancelScan": {params: Nothing; data: null};
  "nfc.watchReader": {params: Nothing; data: null};
  "nfc.stopWatching": {params: Nothing; data: null};

  "camera.isAvailable": {params: Nothing; data: boolean};
  "camera.scanMRZ": {params: ScanHints; data: ZoneFields};
  "camera.scanMrz": {params: ScanHints; data: ZoneFields};
  "camera.scanSeal": {params: {scanRect?: ScanRect}; data: SealReport};
  "camera.stopCamera": {params: Nothing; data: null};

  "biometrics.isAvailable": {params: Nothing; data: boolean};
  "biometrics.getBiometryType": {params: Nothing; data: string};
  "biometrics.authenticate": {params: {reason?: string}; data: true | "deviceCredential"};

  "crypto.generateKey": {params: {keyRef: string; requireBiometric?: boolean}; data: {keyRef: string; success: true}};
  "crypto.getPublicKey": {params: {keyRef: string; format?: "point" | "spki"}; data: {publicKey: string}};
  "crypto.sign": {params: {keyRef: string; data: string; format?: "der" | "p1363"}; data: {signature: string}};
  "crypto.deleteKey": {params: {keyRef: string}; data: null};

  "secureStorage.get": {
    params: {key: string; requireBiometric?: boolean};
    data: {value: string | null; authenticatedBy?: "deviceCredential"; privateKey?: string | null};
  };
  "secureStorage.set": {params: {key: string; value: string; requireBiometric?: boolean}; data: null};
  "secureStorage.remove": {params: {key: string}; data: null};
  "secureStorage.clear": {params: Nothing; data: null};

  "documents.loadCatalog": {params: Nothing; data: unknown};
  "documents.saveCatalog": {params: {catalog: unknown} | {data: unknown}; data: null};
  "documents.loadById": {params: {id: string}; data: unknown};
  "documents.save": {params: {id: string; data: unknown} | {id: string; document: unknown}; data: {id: string; success: true}};
  "documents.delete": {params: {id: string}; data: null};
  "documents.list": {params: Nothing; data: string[]};
  "documents.get": {params: {key: string}; data: unknown};
  "documents.set": {params: {key: string; value: unknown}; data: null};
  "documents.remove": {params: {key: string}; data: null};

  "haptic.isAvailable": {params: Nothing; data: boolean};
  "haptic.trigger": {params: {type?: string}; data: null};
  "haptic.impact": {params: {style?: "light" | "medium" | "heavy" | "rigid" | "soft"}; data: null};
  "haptic.notification": {params: {type?: "success" | "warning" | "error"}; data: null};
  "haptic.selection": {params: Nothing; data: null};

  "analytics.trackEvent": {params: object; data: null};
  "analytics.trackNfcEvent": {params: object; data: null};
  "analytics.logNfcEvent": {params: object; data: null};

  "lifecycle.ready": {params: object; data: null};
  "lifecycle.getConfig": {params: Nothing; data: LaunchConfiguration};
  "lifecycle.setResult": {params: LaunchResult; data: null};
  "lifecycle.dismiss": {params: {reason?: string}; data: null};
  "lifecycle.startRelayListener": {params: object; data: null};

  "navigation.goBack": {params: Nothing; data: {handled: boolean}};
  "navigation.goTo": {params: {routeName: string; params?: object}; data: {handled: boolean}};
}

/** Each event of the protocol, and its data. */
export interface Events {
  "nfc.scanProgress": ScanProgress;
  "nfc.readerChanged": ReaderState;
  /** `scanMRZ` has the first four states, `scanSeal` the others and `mrz_detected`. */
  "camera.scanProgress": {
    state: "no_text" | "text_detected" | "one_mrz_line" | "mrz_detected" | "no_barcode" | "other_barcode" | "seal_detected";
  };
  "biometrics.authenticateProgress": {state: string; message: string};
  "lifecycle.system": SystemState;
  "lifecycle.kiosk": KioskStatus;
  "lifecycle.cancel": {reason: "user_cancel" | "host_cancel"};
}

type MethodData<Name extends string> = Name extends keyof Methods ? Methods[Name]["data"] : any;
/** The domains of `Events`: they have no other events. */
type DomainWithEvents = keyof Events extends infer Name ? Name extends `${infer Domain}.${string}` ? Domain : never : never;
type EventName<Domain extends string, Event extends string> =
  string extends Event ? unknown
  : `${Domain}.${Event}` extends keyof Events ? unknown
  : Domain extends DomainWithEvents ? never : unknown;
type EventData<Name extends string> = Name extends keyof Events ? Events[Name] : any;

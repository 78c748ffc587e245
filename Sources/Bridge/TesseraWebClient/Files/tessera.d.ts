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

/** Whether the page has a connection to Tessera: in a window of Tessera, or after `connect`. */
export function isPresent(): boolean;

/**
 * Connects a page that has a copy of this module to the service. A module that came from the service is connected.
 * @param address of the service; `http://127.0.0.1:8484` by default
 */
export function connect(address?: string): Promise<void>;

/** Sends any request of the protocol; the promise has the `data` of the answer. */
export function request(domain: string, method: string, params?: object, options?: RequestOptions): Promise<any>;

/** Calls `listener` for each event until the returned function is called. */
export function listen(domain: string, event: string, listener: (data: any) => void): () => void;

/** What is printed in the document and opens its chip. Dates are `YYMMDD`, `YYYY-MM-DD` or `DD.MM.YYYY`. */
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
  outcome: Outcome;
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
  scan(key: AccessKey, options?: FollowOptions<ScanProgress>): Promise<ScanResult>;
  scanReport(key: AccessKey, options?: FollowOptions<ScanProgress>): Promise<ScanReport>;
  cancelScan(): Promise<null>;
  /** The state of the readers at once, and after each change, until `stopWatching` or the signal ends it. */
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

/** P-256 keys of this page (the domain `crypto`). */
export const crypt: {
  generateKey(keyRef: string, options?: {requireBiometric?: boolean}): Promise<{keyRef: string; success: true}>;
  /** The SubjectPublicKeyInfo (`spki`, for `crypto.subtle.importKey`), or the uncompressed point. */
  getPublicKey(keyRef: string, format?: "spki" | "point"): Promise<Uint8Array>;
  /** An ECDSA signature with SHA-256 over the data: in DER, or with `p1363` r and s of 32 bytes each, as WebCrypto has it. */
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
  trigger(type?: string): Promise<null>;
};

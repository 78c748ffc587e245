import BridgeVectors
import Foundation
import Synchronization
import TesseraCore
import TesseraInspection
import TesseraLinuxProviders
import TesseraPassport
import TesseraReaders
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraBridge

@Suite("NFC scans of a chip")
struct NfcProviderTests {
  static let key: JSONObject = [
    "passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630", "sessionId": "s",
  ]

  static func call(
    _ method: String, _ parameters: JSONObject, _ source: CardSource
  ) async -> (answer: JSONValue, events: [JSONValue]) {
    let registry = SdkProviderRegistry()
    LinuxProviders.register(in: registry, cards: source)
    let router = MessageRouter(handlers: [NfcBridgeHandler(registry: registry)])
    let messages = Mutex<[BridgeMessage]>([])
    let request = BridgeRequest(id: "r", domain: .nfc, method: method, parameters: BridgeParameters(parameters))
    await router.route(request) { message in messages.withLock { $0.append(message) } }
    let all = messages.withLock { $0.map(\.json) }
    return (all.last ?? nil, all.dropLast())
  }

  @Test("a scan returns every form of the result and reports its steps in order")
  func scan() async throws {
    let files = try SpecimenDocument().files
    let (answer, events) = await Self.call("scan", Self.key, .virtual(.bac, files))
    #expect(answer["success"] == true)
    let data = try #require(answer["data"])
    // The signer has an elliptic curve key, so there is no modulus.
    for key in BridgeVectors.fixture["nfcShapes"]["flatAndroid"].keys where key != "modulus" {
      #expect(data[key] != nil, "\(key)")
    }
    #expect(
      data["mrz"] == "P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<\nTS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0\n")
    #expect(data["gender"] == "FEMALE" && data["sex"] == "F")
    #expect(data["surname"] == "SPECIMEN" && data["givenNames"] == "TESSA MARIA")
    #expect(data["paceSucceeded"] == false && data["chipAuthSucceeded"] == false)
    #expect(data["digestEncryptionAlgorithm"] == "SHA256withECDSA")
    #expect(data["publicKeyQ"]?.stringValue?.hasPrefix("(") == true)
    let passport = try #require(data["passportData"])
    for key in BridgeVectors.fixture["nfcShapes"]["passportDataTs"].keys { #expect(passport[key] != nil, "\(key)") }
    #expect(passport["dgPresents"] == [1, 2])
    #expect(data["sodSignature"] == data["encryptedDigest"] && data["sodEncapsulatedContent"] == data["encapContent"])
    // `eContent` contains the signed attributes.
    let attributes = try #require(data["eContent"]?.stringValue.flatMap { Data(base64Encoded: $0) })
    #expect(attributes.first == 0x31)
    #expect(data["dg1"]?.stringValue == files[.dg1].map { Data($0).base64EncodedString() })

    let steps = events.compactMap { $0["data"]?["step"]?.stringValue }
    #expect(
      steps == [
        "waiting_for_tag", "connecting", "bac", "bac_succeeded", "reading_dg1", "reading_sod", "building_result",
        "complete",
      ])
    for event in events {
      for key in ["stateIndex", "percent", "message", "step"] { #expect(event["data"]?[key] != nil) }
    }
  }

  @Test("the result has its members in a fixed order, with optional ones only if they are present")
  func encoding() throws {
    var result = NfcScanResult.vector()
    let flat = [
      "mrz", "documentType", "issuingState", "surname", "givenNames", "documentNumber", "nationality",
      "personalNumber", "dateOfBirth", "dateOfExpiry", "gender", "sex", "documentSigningCertificate",
      "signatureAlgorithm", "digestAlgorithm", "signerInfoDigestAlgorithm", "digestEncryptionAlgorithm", "LDSVersion",
      "unicodeVersion",
      "eContent", "encryptedDigest", "encapContent", "dataGroupHashes", "paceSucceeded", "chipAuthSucceeded",
    ]
    let forms = ["passportData", "sodSignature", "sodSignedAttributes", "sodEncapsulatedContent"]
    #expect(result.json.names == flat + ["modulus"] + forms)
    guard case .object(let passport)? = result.json["passportData"] else { return #expect(Bool(false), "no object") }
    #expect(
      passport.names == [
        "dgPresents", "documentType", "documentCategory", "parsed", "mock", "mrz", "dsc", "dg1Hash", "dg2Hash",
        "eContent", "signedAttr", "encryptedDigest",
      ])
    result.dataGroup1 = [0x61, 0x00]
    result.securityObject.certificate.publicKey = .ellipticCurve(x: "1f", y: "2")
    result.securityObject.ldsVersion = nil
    result.securityObject.dataGroupHashes = [2: [0x0A], 14: [0xFF], 1: [0x00]]
    result.verification = NfcScanResult.Verification(
      checks: ["b": "passed", "a": "failed"], findings: [.init(id: "a", detail: "d")], accessProtocol: "BAC")
    let json = result.json
    let verified = [
      "dg1", "checks", "findings", "accessControl", "passportCorrectlySigned", "documentSigningCertificateVerified",
      "passportDataNotTampered", "isPACESupported", "isChipAuthenticationSupported",
    ]
    #expect(json.names == flat + verified + ["publicKeyQ"] + forms)
    #expect(json["dg1"] == "YQA=" && json["publicKeyQ"] == "(1f,2)" && json["LDSVersion"] == .null)
    #expect(json["dataGroupHashes"]?.text == #"{"1":"00","14":"ff","2":"0a"}"#)
    #expect(json["checks"]?.text == #"{"a":"failed","b":"passed"}"#)
    #expect(json["findings"]?.text == #"[{"id":"a","detail":"d"}]"#)
    #expect(json["accessControl"]?.text == #"{"protocol":"BAC","reason":null}"#)
    result.verification?.notRead = ["DG2"]
    #expect(result.json["notRead"] == ["DG2"])
    #expect(json["passportData"]?["dgPresents"] == [1, 2, 14] && json["passportData"]?["dg2Hash"] == [10])
    #expect(json["passportData"]?["eContent"] == [48, -127, -96, -1, 127, -128])
  }

  @Test("steps that repeat or go back are not reported")
  func progress() {
    var latest: NfcScanStep?
    let steps: [NfcScanStep] = [.waitingForTag, .connecting, .pace, .pace, .bac, .pace, .bacSucceeded, .connecting]
    #expect(steps.filter { $0.advance(&latest) } == [.waitingForTag, .connecting, .pace, .bac, .bacSucceeded])
  }

  @Test("a chip without access control is read")
  func open() async throws {
    let (answer, events) = await Self.call("scanPassport", Self.key, .virtual(.open, try SpecimenDocument().files))
    #expect(answer["success"] == true)
    let steps = events.compactMap { $0["data"]?["step"]?.stringValue }
    #expect(steps.contains("bac_not_required"))
  }

  @Test(
    "failures have their error codes",
    arguments: [
      (["passportNumber": "TS0264719"], "AUTH_FAILED"), (["dateOfBirth": "901399"], "INVALID_PARAMS"),
      (["dateOfExpiry": "35"], "INVALID_PARAMS"), (["useCan": true, "canNumber": "12"], "INVALID_PARAMS"),
      (["passportNumber": nil], "MISSING_PASSPORT_NUMBER"),
      (["apduCommands": ["00A4"]], "NFC_APDU_NOT_ALLOWED"), (["passportNumber": ["x"]], "INTERNAL_ERROR"),
    ] as [(JSONObject, String)])
  func refusals(_ change: JSONObject, _ code: String) async throws {
    let parameters = change.members.reduce(into: Self.key) { $0[$1.name] = $1.value }
    let (answer, _) = await Self.call("scan", parameters, .virtual(.bac, try SpecimenDocument().files))
    #expect(answer["success"] == false)
    #expect(answer["error"]?["code"] == .string(code))
    for secret in ["TS0264719", "900214", "123456"] { #expect(!answer.text.contains(secret)) }
  }

  @Test("a page learns which parameter is wrong, and what to write; a date with unknown parts is one")
  func wrongParameters() async throws {
    let files = try SpecimenDocument().files
    let forms = "Write the date as YYMMDD, YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY."
    let dayFirst = "in DD.MM.YYYY and DD/MM/YYYY, the day comes first. If the document has this date, write YYMMDD."
    for (change, member, remedy) in [
      (["dateOfBirth": "14 Feb 1990"], "dateOfBirth", forms), (["dateOfBirth": "02/14/1990"], "dateOfBirth", forms),
      (["dateOfBirth": "1990-02-30"], "dateOfBirth", dayFirst),
      (["dateOfBirth": "29.02.1991"], "dateOfBirth", dayFirst),
      (["dateOfExpiry": "31/06/2035"], "dateOfExpiry", dayFirst),
      (["passportNumber": "TS?"], "passportNumber", "Compare it with the document."),
      (["useCan": true, "canNumber": "12"], "canNumber", ""),
    ] as [(JSONObject, String, String)] {
      let parameters = change.members.reduce(into: Self.key) { $0[$1.name] = $1.value }
      let error = await Self.call("scan", parameters, .virtual(.bac, files)).answer["error"]
      #expect(error?["code"] == "INVALID_PARAMS" && error?["details"]?["member"] == .string(member), "\(change)")
      #expect(error?["details"]?["field"] != nil, "\(change)")
      #expect(error?["message"]?.stringValue?.hasSuffix(remedy) == true, "\(change): \(error?.text ?? "")")
    }
    for date in ["14/02/1990", "14.2.1990", "1990-02-14", "900214"] {
      let parameters = Self.key.members.reduce(into: JSONObject()) { all, member in
        all[member.name] = member.name == "dateOfBirth" ? .string(date) : member.value
      }
      #expect(await Self.call("scan", parameters, .virtual(.bac, files)).answer["success"] == true, "\(date)")
    }
    // A part is unknown, and the document is misprinted.
    for date in ["90<<<<", "900230"] {
      var printed = Self.key
      printed["dateOfBirth"] = .string(date)
      let answer = await Self.call("scan", printed, .virtual(.bac, files)).answer
      #expect(answer["error"]?["code"] == "AUTH_FAILED", "the chip decides")
    }
  }

  @Test("with a card access number, the calendar does not matter")
  func misprinted() async throws {
    var parameters: [String: JSONValue] = [
      "dateOfBirth": "30.02.1990", "useCan": true, "canNumber": .string(ChipProfile.specimenCardAccessNumber),
    ]
    let answer = try await Self.scan("germany-2023", parameters).answer
    #expect(answer["success"] == true, "\(answer.text)")
    // The key is the zone again.
    parameters["skipPACE"] = true
    #expect(try await Self.scan("germany-2023", parameters).answer["error"]?["code"] == "INVALID_PARAMS")
  }

  @Test("a document without EF.SOD fails the scan")
  func noSecurityObject() async throws {
    var files = try SpecimenDocument().files
    files[.sod] = nil
    let (answer, _) = await Self.call("scan", Self.key, .virtual(.bac, files))
    #expect(answer["error"]?["code"] == "NFC_SCAN_FAILED")
  }

  /// Scans a chip with the profile.
  static func scan(
    _ name: String, _ parameters: [String: JSONValue] = [:], _ change: (inout ChipProfile) -> Void = { _ in }
  ) async throws -> (answer: JSONValue, steps: [String]) {
    var profile = try #require(ChipProfile(named: name))
    change(&profile)
    let files = try SpecimenDocument(profile: profile).files
    var all = key
    for (name, value) in parameters { all[name] = value }
    let (answer, events) = await call("scan", all, .virtual(profile, files))
    return (answer, events.compactMap { $0["data"]?["step"]?.stringValue })
  }

  @Test(
    "reports the failed checks of the command line, with and without chip authentication", arguments: [false, true])
  func findings(_ skipsChipAuthentication: Bool) async throws {
    let parameters: [String: JSONValue] = ["skipCA": .bool(skipsChipAuthentication)]
    let data = try #require(try await Self.scan("fault-parameters", parameters).answer["data"])
    #expect(data["checks"]?["access.downgrade"] == "failed")
    #expect(data["findings"]?.text.contains("an attacker may have changed it") == true)
    let sound = try #require(try await Self.scan("germany-2023", parameters).answer["data"])
    #expect(sound["checks"]?["access.downgrade"] == nil && sound["findings"] == [])
    #expect(sound["accessControl"]?["protocol"] == "PACE")
    #expect(sound["chipAuthSucceeded"] == true)
  }

  @Test("reports the result of active authentication")
  func activeAuthentication() async throws {
    for (name, status) in [("hong-kong-2025", "passed"), ("china-2018", "passed"), ("fault-signature", "failed")] {
      let (answer, _) = try await Self.scan(name)
      #expect(answer["success"] == true)
      #expect(answer["data"]?["checks"]?["active.authentication"] == .string(status), "\(name)")
    }
    // This document has neither DG14 nor DG15.
    let (answer, _) = try await Self.scan("bac")
    #expect(answer["data"]?["checks"]?["active.authentication"] == "skipped")
  }

  @Test("does not fall back to Basic Access Control after a failed PACE, unless the page requests it")
  func noFallback() async throws {
    let basic: @Sendable (inout ChipProfile) -> Void = { $0.requiresBasicAccessControl = true }
    for (name, parameters, code) in [
      ("fault-token", [:], "NFC_SCAN_FAILED"), ("fault-point", [:], "NFC_SCAN_FAILED"),
      ("germany-2023", ["useCan": true, "canNumber": "000000"], "AUTH_FAILED"),
    ] as [(String, [String: JSONValue], String)] {
      let (answer, steps) = try await Self.scan(name, parameters, basic)
      #expect(answer["error"]?["code"] == .string(code), "\(name)")
      #expect(steps.contains("pace") && !steps.contains("bac"), "\(name): \(steps)")
      let (requested, requestedSteps) = try await Self.scan(name, ["skipPACE": true], basic)
      #expect(requested["data"]?["paceSucceeded"] == false && requested["data"]?["accessControl"]?["protocol"] == "BAC")
      #expect(requested["data"]?["accessControl"]?["reason"] == "PACE was skipped as requested.")
      #expect(
        requestedSteps.contains("bac_succeeded") && !requestedSteps.contains("pace"), "\(name): \(requestedSteps)")
    }
  }

  @Test("an outcome names the data groups that were not read: of a scan all but those of its checks")
  func notRead() async throws {
    let profile = try #require(ChipProfile(named: "trust-wrong-hash"))
    let document = try SpecimenDocument(profile: profile)
    let provider = PassportNfcProvider(
      source: .virtual(profile, document.files),
      trust: .fixed(TrustMaterial(testCountry: document.country, provesAuthenticity: true)))
    let registry = SdkProviderRegistry()
    registry.register { $0.nfc = provider }
    let router = MessageRouter(handlers: [NfcBridgeHandler(registry: registry)])
    // The hash of DG2 is wrong, which only a scan can tell that reads it.
    for (method, notRead, outcome) in [("scan", ["DG2"], "genuine"), ("scanReport", [], "notGenuine")] {
      let answer = Mutex<JSONValue>(.null)
      let request = BridgeRequest(id: "r", domain: .nfc, method: method, parameters: BridgeParameters(Self.key))
      await router.route(request) { message in answer.withLock { $0 = message.json } }
      let data = try #require(answer.withLock { $0 }["data"])
      #expect(data["notRead"] == .array(notRead.map(JSONValue.string)), "\(method)")
      #expect(data["outcome"] == .string(outcome), "\(method)")
    }
  }

  @Test("a virtual chip is always available")
  func isSupported() async throws {
    let (answer, _) = await Self.call("isSupported", [:], .virtual(.bac, try SpecimenDocument().files))
    #expect(answer["data"] == true)
  }

  @Test("a scan can follow a cancelled one at once")
  func cancelAndRepeat() async throws {
    let registry = SdkProviderRegistry()
    let provider = ScriptedNfcProvider(given: Vector(["chip": "never"]))
    registry.register { $0.nfc = provider }
    // However long the cancelled scan takes to release the reader.
    let handler = NfcBridgeHandler(
      registry: registry, timeLimit: nil, coordinator: ScanCoordinator(clock: ManualClock()))
    let router = MessageRouter(handlers: [handler])
    func request(_ method: String) -> BridgeRequest {
      BridgeRequest(id: method, domain: .nfc, method: method, parameters: BridgeParameters(Self.key))
    }
    let answers = Mutex<[JSONValue]>([])
    let scan = Task {
      await router.route(request("scan")) { message in
        if case .response = message { answers.withLock { $0.append(message.json) } }
      }
    }
    await provider.isWaiting.wait()
    let files = try SpecimenDocument().files
    registry.register { $0.nfc = PassportNfcProvider(source: .virtual(.bac, files)) }
    await router.route(request("cancelScan")) { _ in }
    // At once, before the response of the cancelled scan.
    let second = Mutex<JSONValue?>(nil)
    await router.route(request("scan")) { message in
      if case .response = message { second.withLock { $0 = message.json } }
    }
    #expect(second.withLock { $0?["success"] } == true)
    await scan.value
    #expect(answers.withLock { $0.map { $0["error"]?["code"] } } == ["SCAN_ABORTED"])
  }

  @Test("a provider that ignores cancellation does not delay the response")
  func unresponsiveProvider() async {
    struct Unresponsive: NfcProvider {
      let entered: Gate
      let returns: Gate
      func isAvailable() async -> Bool { true }
      func cancelScan() async {}
      func scanPassport(
        _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
      ) async throws -> NfcScanResult {
        await entered.open()
        await returns.wait()
        return .vector()
      }
    }
    let (entered, returns) = (Gate(), Gate())
    let registry = SdkProviderRegistry()
    registry.register { $0.nfc = Unresponsive(entered: entered, returns: returns) }
    let router = MessageRouter(handlers: [NfcBridgeHandler(registry: registry)])
    let request = BridgeRequest(id: "a", domain: .nfc, method: "scan", parameters: BridgeParameters(Self.key))
    let answers = Mutex<[JSONValue]>([])
    let scan = Task { await router.route(request) { message in answers.withLock { $0.append(message.json) } } }
    await entered.wait()
    scan.cancel()
    await scan.value
    #expect(answers.withLock { $0.count } == 1)
    #expect(answers.withLock { $0.first?["error"]?["code"] } == "SCAN_ABORTED")
    await returns.open()
  }

  @Test("descriptions of requests and results hide their content")
  func redaction() {
    let request = NfcScanRequest(passportNumber: "SECRET", dateOfBirth: "900214", dateOfExpiry: "350630")
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!"\(request)\(String(reflecting: request))\(dumped)".contains("SECRET"))
    dumped = ""
    let result = NfcScanResult.vector()
    dump(result, to: &dumped)
    dump(result.zone, to: &dumped)
    #expect(!"\(result)\(result.zone)\(String(reflecting: result))\(dumped)".contains("ERIKSSON"))
  }
}

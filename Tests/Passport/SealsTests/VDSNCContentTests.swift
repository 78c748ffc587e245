import TestSupport
import Testing

@testable import TesseraSeals

@Suite("VDS-NC: what a seal says")
struct VDSNCContentTests {
  /// A seal with this message; its signature is none.
  private static func seal(_ message: String, header: String = #""t":"icao.vacc","v":1,"is":"UTO""#) throws -> VDSNC {
    try VDSNC(
      Array(
        #"{"data":{"hdr":{\#(header)},"msg":\#(message)},"sig":{"alg":"ES256","cer":"AAAA","sigvl":"AAAA"}}"#.utf8))
  }

  private static func content(_ message: String, type: String = "icao.vacc") throws -> SealContent {
    try seal(message, header: #""t":"\#(type)","v":1,"is":"UTO""#).content
  }

  private static func published(_ id: String) throws -> SealContent {
    try VDSNC(Array(VDSNCTests.vectors.vector(id)["text"].text.utf8)).content
  }

  private static func lines(_ content: SealContent) -> [String] { content.fields.map { "\($0.name): \($0.value)" } }

  // MARK: - The published messages

  @Test("Proof of vaccination")
  func vaccination() throws {
    let content = try Self.published("pub-aus-jane-catherine")
    #expect(content.documentName == "proof of vaccination")
    #expect(
      Self.lines(content) == [
        "certificateNumber: VB0009990038", "name: CITIZEN  JANE CATHERINE", "dateOfBirth: 1977-05-16", "sex: F",
        "passportNumber: PF0911009", "vaccine1Code: XM68M6", "vaccine1Brand: Pfizer Comirnaty",
        "vaccine1Disease: RA01.0", "vaccine1Dose1Date: 2021-06-13", "vaccine1Dose1Number: 1",
        "vaccine1Dose1Country: AUS", "vaccine1Dose1Place: Community Health", "vaccine1Dose1Batch: EP2163",
        "vaccine1Dose2Date: 2021-07-01", "vaccine1Dose2Number: 2", "vaccine1Dose2Country: AUS",
        "vaccine1Dose2Place: General Practitioner", "vaccine1Dose2Batch: ER7449",
      ])
    #expect(content.header.map(\.value) == ["icao.vacc", "1", "ES256"])
    #expect(content.passportNumber == "PF0911009")
    #expect(content.problems.isEmpty)
    #expect(content.findings.isEmpty)
  }

  @Test("Proof of testing")
  func test() throws {
    let content = try Self.published("pub-uto-test")
    #expect(content.documentName == "proof of testing")
    #expect(
      Self.lines(content) == [
        "certificateNumber: U01932", "name: Cook Gerald", "dateOfBirth: 1990-01-29", "documentType: P",
        "documentNumber: E1234567P", "testCentre: General Hospital", "testCountry: UTO", "telephone: +00068765432",
        "email: genhosp@mail.com", "address: 12 Utopia Street", "sampleTaken: 2020-12-12T12:00:00+08:00",
        "reportIssued: 2021-02-11T14:00:00+08:00", "test: molecular(PCR)", "result: negative",
        "sample: nasopharyngeal", "furtherText: ID12345",
      ])
    #expect(content.passportNumber == "E1234567P")
    #expect(content.problems.isEmpty)
    #expect(content.findings.isEmpty)
  }

  @Test("Digital Travel Authorization, whatever its type is called", arguments: ["icao.dta", "icao.visa", "x", ""])
  func travelAuthorization(_ type: String) throws {
    let text = VDSNCTests.vectors.vector("dta-es512")["text"].text.replacing("icao.dta", with: type)
    let content = try VDSNC(Array(text.utf8)).content
    #expect(content.documentName == "digital travel authorization")
    #expect(
      Self.lines(content) == [
        "authorizationNumber: DTA0012345678", "name: MUSTERFRAU  ERIKA", "dateOfBirth: 1990-01-29", "sex: F",
        "nationality: XXX", "passportNumber: L8988901C", "placeOfIssue: UTOPIA CITY", "validFrom: 2026-11-01",
        "validUntil: 2027-10-31", "durationOfStay: 000300", "entries: M", "category: TOURISM",
      ])
    #expect(content.passportNumber == "L8988901C")
    #expect(content.validFrom == SealDate(year: 2026, month: 11, day: 1))
    #expect(content.validUntil == SealDate(year: 2027, month: 10, day: 31))
    #expect(content.problems.isEmpty)
    #expect(content.findings.isEmpty)
  }

  @Test("The number of entries is a number or a text")
  func entries() throws {
    let content = try Self.content(#"{"dtan":"1","dta":{"noe":2.0}}"#, type: "dta")
    #expect(Self.lines(content) == ["authorizationNumber: 1", "entries: 2"])
    #expect(content.findings.isEmpty)
  }

  @Test("A message of an unknown type is shown as it is, and gives no field of another type")
  func unknownType() throws {
    let message = #"{"passportNumber":"P1","b":{"z":1.0,"a":[true,null]},"n":12,"dta":"no object"}"#
    let content = try Self.content(message, type: "xx.new")
    #expect(content.documentName.isEmpty)
    #expect(
      Self.lines(content) == [
        #"member: {"passportNumber":"P1"}"#, #"member: {"b":{"a":[true,null],"z":1}}"#, #"member: {"n":12}"#,
        #"member: {"dta":"no object"}"#,
      ])
    #expect(content.passportNumber == nil)
    #expect(content.validUntil == nil)
    #expect(content.problems.isEmpty)
    #expect(content.findings.isEmpty)
  }

  @Test("A member that its type does not define")
  func unknownMembers() throws {
    let message = #"{"uvci":"1","pid":{"n":"A","ssn":"1"},"ve":[{"des":"1","nam":"2","x\u001b":[]}],"zz":"2"}"#
    let content = try Self.content(message)
    #expect(
      Self.lines(content).filter { $0.lowercased().contains("member") } == [
        #"member: {"ssn":"1"}"#, #"vaccine1Member: {"x\u001b":[]}"#, #"member: {"zz":"2"}"#,
      ])
    #expect(
      content.findings == [SealFinding(.unknownFeature, "The message has 3 members that its type does not define.")])
    #expect(content.problems.isEmpty)
  }

  // MARK: - Deviations

  private static let complete = #"{"uvci":"1","pid":{"n":"A  B"}}"#

  @Test(
    "What is mandatory and missing, or of another kind, is a problem",
    arguments: [
      (#"{"uvci":"1"}"#, []), (complete, []), ("{}", ["msg.uvci"]), (#"{"uvci":1}"#, ["msg.uvci"]),
      (#"{"uvci":null}"#, ["msg.uvci"]), (#"{"uvci":"1","pid":{}}"#, ["msg.pid.n"]),
      (#"{"uvci":"1","ve":[{},{}]}"#, ["msg.ve.des", "msg.ve.nam"]),
      (
        #"{"uvci":"1","ve":[{"des":"1","nam":"2","vd":[{"dvc":"2026-02-29","seq":"1","ctr":"UTO","adm":"1"}]}]}"#,
        ["msg.ve.vd.dvc", "msg.ve.vd.seq"]
      ),
      (
        #"{"uvci":"1","ve":[{"des":"1","nam":"2","vd":[{"dvc":"2026-02-28","seq":1,"adm":"1","dvn":"soon"}]}]}"#,
        ["msg.ve.vd.ctr", "msg.ve.vd.dvn"]
      ),
    ] as [(String, [String])])
  func problems(_ message: String, _ places: [String]) throws {
    let content = try Self.content(message)
    let text = content.problems.joined(separator: " ")
    #expect(content.problems.isEmpty == places.isEmpty)
    for place in places { #expect(text.contains(place)) }
    #expect(text.split(separator: "msg.").count - 1 == (places.isEmpty ? -1 : places.count))
  }

  @Test(
    "What is too long or of another kind, and not mandatory, is a finding",
    arguments: [
      (#"{"uvci":"1234567890123"}"#, "msg.uvci"), (#"{"uvci":"1","pid":{"n":"A","sex":"FF"}}"#, "msg.pid.sex"),
      (#"{"uvci":"1","pid":[]}"#, "msg.pid"), (#"{"uvci":"1","ve":{}}"#, "msg.ve"),
      (#"{"uvci":"1","ve":[1]}"#, "msg.ve"),
      (#"{"uvci":"1","pid":{"n":"A","i":5}}"#, "msg.pid.i"),
    ])
  func unusual(_ message: String, _ place: String) throws {
    let content = try Self.content(message)
    #expect(content.problems.isEmpty)
    #expect(content.findings.map(\.id) == [.layout])
    #expect(content.findings.allSatisfy { $0.detail.contains("(\(place))") })
  }

  @Test("The number of a document that is no passport is not compared with one")
  func identityCard() throws {
    let content = try Self.content(#"{"utci":"1","pid":{"n":"A","dt":"ID","dn":"X1"}}"#, type: "icao.test")
    #expect(content.passportNumber == nil)
  }

  @Test("A passport number has no fillers")
  func fillers() throws {
    #expect(try Self.content(#"{"uvci":"1","pid":{"n":"A","i":"AB12<<<"}}"#).passportNumber == "AB12")
    #expect(try Self.content(#"{"uvci":"1","pid":{"n":"A","i":"<<<"}}"#).passportNumber == nil)
    #expect(try Self.content(#"{"uvci":"1","pid":{"n":"A","i":"e\u0301"}}"#).passportNumber == nil)
  }

  @Test("A day that does not exist ends nothing")
  func days() throws {
    let content = try Self.content(#"{"dtan":"1","dta":{"vf":"2026-13-01","vu":"2026-1-1"}}"#, type: "dta")
    #expect(content.validFrom == nil)
    #expect(content.validUntil == nil)
    #expect(content.problems.count == 1)
  }

  // MARK: - The header and the members around

  @Test(
    "The header",
    arguments: [
      (#""t":"icao.vacc","v":1,"is":"UTO""#, 0, 0), (#""t":"icao.vacc","v":1.0,"is":"D""#, 0, 0),
      (#""t":"icao.vacc","v":1,"is":"D<<","x":[]"#, 0, 0), (#""v":1,"is":"UTO""#, 1, 0), (#""t":"x","is":"UTO""#, 1, 0),
      (#""t":7,"v":"1","is":"UTO""#, 2, 0), (#""t":"x","v":1.5,"is":"UTO""#, 1, 0),
      (#""t":"x","v":2,"is":"UTO""#, 0, 1),
      (#""t":"x","v":1e300,"is":"UTO""#, 1, 0), (#""t":"x","v":-1,"is":"UTO""#, 0, 1),
    ])
  func header(_ header: String, _ problems: Int, _ findings: Int) throws {
    let seal = try Self.seal(Self.complete, header: header)
    #expect(seal.content.problems.count == problems)
    // The message of another type has no findings of its own.
    #expect(seal.content.findings.map(\.id) == Array(repeating: .layout, count: findings))
    #expect(["UTO", "D"].contains(seal.evidence.issuer))
  }

  @Test("Members that nobody signed are not shown")
  func unsignedMembers() throws {
    let data = #""data":{"hdr":{"t":"icao.vacc","v":1,"is":"UTO"},"msg":{"uvci":"1"}}"#
    for text in [
      #"{\#(data),"sig":{"alg":"ES256","cer":"AAAA","sigvl":"AAAA"},"note":"GRANTED"}"#,
      #"{\#(data),"sig":{"alg":"ES256","cer":"AAAA","sigvl":"AAAA","note":"GRANTED"}}"#,
    ] {
      let content = try VDSNC(Array(text.utf8)).content
      #expect(content.findings.map(\.id) == [.layout])
      #expect(!content.fields.contains { $0.value == "GRANTED" })
    }
  }

  @Test("What is signed is what was received, whatever is understood of it")
  func signedBytes() throws {
    let seal = try VDSNC(
      Array(
        #"""
         {"sig": {"sigvl": "AQI", "alg": "ES384", "cer": "Aw"},
          "data": {"msg": {"uvci": "1", "x": {"b": 1e0, "a": "\u00e9"}},
          "hdr": {"v": 1, "t": "icao.vacc", "is": "UTO"}, "add": []}}
        """#.utf8))
    let signed = #"{"add":[],"hdr":{"is":"UTO","t":"icao.vacc","v":1},"msg":{"uvci":"1","x":{"a":"é","b":1}}}"#
    #expect(seal.evidence.signedBytes == Array(signed.utf8))
    #expect(seal.evidence.signature == [1, 2])
    #expect(seal.evidence.signer == .certificate([3]))
    #expect(seal.evidence.hash == .sha384)
    #expect(seal.evidence.fieldBits == 384)
  }

  // MARK: - Errors

  private static func whole(data: String, signature: String) -> String { #"{"data":{\#(data)},"sig":{\#(signature)}}"# }
  private static let data = #""hdr":{"t":"x","v":1,"is":"UTO"},"msg":{}"#
  private static let signature = #""alg":"ES256","cer":"AAAA","sigvl":"AAAA""#

  @Test(
    "A member that a verification needs",
    arguments: [
      (whole(data: #""msg":{}"#, signature: signature), VDSNCError.Member.header),
      (whole(data: #""hdr":[],"msg":{}"#, signature: #""sigvl":1"#), .header),
      (whole(data: #""hdr":{"t":"x","v":1},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":"uto"},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":"UTOP"},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":""},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":"<<<"},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":"U<O"},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":["UTO"]},"msg":{}"#, signature: signature), .issuer),
      (whole(data: #""hdr":{"is":"UTO"}"#, signature: signature), .message),
      (whole(data: #""hdr":{"is":"UTO"},"msg":[]"#, signature: signature), .message),
      (whole(data: data, signature: #""cer":"AAAA","sigvl":"AAAA""#), .algorithm),
      (whole(data: data, signature: #""alg":7,"cer":"AAAA","sigvl":"AAAA""#), .algorithm),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":null"#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AA+A""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AA\n""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AAAAA""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AB""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AA=""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"A===""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"AA==AA==""#), .signature),
      (whole(data: data, signature: #""alg":"ES256","cer":"","sigvl":"AAAA""#), .certificate),
      (whole(data: data, signature: #""alg":"ES256","cer":{},"sigvl":"AAAA""#), .certificate),
      (whole(data: data, signature: #""alg":"ES256","cer":"é","sigvl":"AAAA""#), .certificate),
    ])
  func member(_ text: String, _ member: VDSNCError.Member) {
    #expect(throws: VDSNCError.member(member)) { try VDSNC(Array(text.utf8)) }
    #expect(VDSNCError.member(member).concernsSeal)
  }

  @Test("Padding is tolerated where it is right", arguments: ["AA", "AA==", "AAA", "AAA=", "AAAA", ""])
  func padding(_ digits: String) throws {
    let text = Self.whole(data: Self.data, signature: #""alg":"ES256","cer":"AAAA","sigvl":"\#(digits)""#)
    let zeros = digits.prefix { $0 != "=" }.count * 3 / 4
    #expect(try VDSNC(Array(text.utf8)).evidence.signature == [UInt8](repeating: 0, count: zeros))
  }

  @Test(
    "What is no seal",
    arguments: [
      "{}", "[]", "[[]]", "[{}]", "1", "\"x\"", "null", #"{"data":{},"sig":{}}"#, #"{"data":{"hdr":1},"sig":{}}"#,
      #"{"data":{"hdr":{}},"sig":[]}"#, #"{"data":[],"sig":{}}"#, #"{"sig":{}}"#, #"{"a":1,"a":2}"#, #"["\ud800"]"#,
    ])
  func noSeal(_ text: String) {
    #expect(throws: VDSNCError.noSeal) { try VDSNC(Array(text.utf8)) }
    #expect(!VDSNCError.noSeal.concernsSeal)
  }

  @Test("An array of one seal is that seal; several are refused")
  func arrays() throws {
    let seal = Self.whole(data: Self.data, signature: Self.signature)
    #expect(try VDSNC(Array("[\(seal)]".utf8)).content.findings.map(\.id) == [.layout])
    #expect(throws: VDSNCError.severalSeals) { try VDSNC(Array("[\(seal),\(seal)]".utf8)) }
    #expect(throws: VDSNCError.severalSeals) { try VDSNC(Array("[{},\(seal)]".utf8)) }
    #expect(throws: VDSNCError.noSeal) { try VDSNC(Array("[[\(seal)]]".utf8)) }
  }

  @Test("Errors do not quote the seal")
  func errors() {
    let secret = "ZZSECRET"
    for text in [
      Self.whole(data: #""hdr":{"is":"\#(secret)"},"msg":{}"#, signature: Self.signature),
      Self.whole(data: #""hdr":{"\#(secret)":1,"\#(secret)":2},"msg":{}"#, signature: Self.signature),
      Self.whole(data: Self.data, signature: #""alg":"ES256","sigvl":"\#(secret)!""#), "{\"\(secret)",
    ] {
      do {
        _ = try VDSNC(Array(text.utf8))
        Issue.record("The text was accepted")
      } catch {
        let failure = error.failure
        #expect(!"\(failure) \(failure.details)".contains(secret))
        #expect(failure.cause.hasSuffix("."))
      }
    }
  }
}

import ChipTestSupport
import TesseraCore
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import Testing

/// Behaviour of chips that public reports describe, and siblings of it.
struct ChipCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable, Equatable {
    /// Every file was read, and every check that needs no country certificates passed.
    case whole
    /// These files are missing. Nothing accuses the document.
    case incomplete([String])
    /// The read fails with this kind.
    case failure(FailureKind)
  }

  let name: String
  let profile: ChipProfile
  var request: @Sendable (inout InspectionRequest) -> Void = { _ in }
  var outcome = Outcome.whole
  var testDescription: String { name }

  // MARK: - Documents

  /// A passport with Basic Access Control only, after the United States' of 2021.
  private static let basic = ChipProfile(
    name: "basic", summary: "", requiresBasicAccessControl: true, responseLimit: 256)

  /// A passport with PACE and Chip Authentication, after the United Kingdom's of 2020.
  private static let modern: ChipProfile = {
    var profile = ChipProfile(name: "modern", summary: "", requiresBasicAccessControl: true, responseLimit: 4096)
    profile.pace = [PACEOffer(.generic, .aes256, AgreementParameters(13))]
    profile.chipAuthentication = [ChipAuthenticationOffer(.aes256, AgreementParameters(13, .explicit))]
    profile.announcesChaining = true
    return profile
  }()

  private static func changed(_ profile: ChipProfile, _ change: (inout ChipProfile) -> Void) -> ChipProfile {
    var profile = profile
    change(&profile)
    return profile
  }

  private init(
    _ name: String, _ base: ChipProfile = basic, _ outcome: Outcome = .whole,
    _ change: (inout ChipProfile) -> Void = { _ in },
    request: @escaping @Sendable (inout InspectionRequest) -> Void = { _ in }
  ) {
    self.name = name
    self.request = request
    self.outcome = outcome
    profile = Self.changed(base, change)
  }

  private static func quirk(
    _ name: String, _ base: ChipProfile = basic, _ outcome: Outcome = .whole, _ change: (inout ChipQuirks) -> Void
  ) -> ChipCase {
    ChipCase(name, base, outcome) { change(&$0.quirks) }
  }

  // MARK: - READ BINARY

  private static let plainOrNot = [("", false), ("-plain", true)]

  private static let statuses: [UInt16] = [0x6B00, 0x6282, 0x6A86, 0x6F00, 0x6700, 0x6988]

  private static func digits(_ status: UInt16) -> String { String(status, radix: 16) }

  static let pastEnd: [ChipCase] = statuses.flatMap { status in
    plainOrNot.flatMap { suffix, isPlain in
      [("basic", basic), ("modern", modern)].map { base, profile in
        quirk("past-end-\(digits(status))\(suffix) \(base)", profile) {
          $0.pastEnd = ChipQuirks.Refusal(status, isPlain: isPlain)
        }
      }
    }
  }

  static let pastEndAndMore: [ChipCase] = [
    quirk("past-end and no short identifiers") {
      $0.pastEnd = ChipQuirks.Refusal(0x6B00)
      $0.shortFileIdentifiers = ChipQuirks.Refusal(0x6A86)
    },
    quirk("past-end-plain and no short identifiers in plain") {
      $0.pastEnd = ChipQuirks.Refusal(0x6B00, isPlain: true)
      $0.shortFileIdentifiers = ChipQuirks.Refusal(0x6700, isPlain: true)
    },
    ChipCase(
      "past-end, 16 bytes at once", basic, .whole, { $0.quirks.pastEnd = ChipQuirks.Refusal(0x6B00) },
      request: { $0.maximumReadLength = 16 }),
    ChipCase(
      "past-end-plain, 16 bytes at once", basic, .whole,
      { $0.quirks.pastEnd = ChipQuirks.Refusal(0x6B00, isPlain: true) }, request: { $0.maximumReadLength = 16 }),
  ]

  static let pastEndOfCardAccess: [ChipCase] = statuses.flatMap { status in
    [true, false].map { hasBasicAccess in
      ChipCase("past-end-card-access-\(digits(status)) \(hasBasicAccess)", modern) {
        $0.requiresBasicAccessControl = hasBasicAccess
        $0.quirks.pastEnd = ChipQuirks.Refusal(status)
        $0.quirks.placeOfPastEnd = .masterFile
      }
    }
  }

  static let longReads: [ChipCase] = [223, 160].flatMap { limit in
    statusesOfLongReads(limit).flatMap { status in
      plainOrNot.map { suffix, isPlain in
        quirk("long-read \(limit) \(digits(status))\(suffix)") {
          $0.longestRead = limit
          $0.longRead = ChipQuirks.Refusal(status, isPlain: isPlain)
        }
      }
    }
  }

  private static func statusesOfLongReads(_ limit: Int) -> [UInt16] {
    [0x6700, 0x6C00 | UInt16(limit), 0x6988, 0x6F00]
  }

  private static let statusesOfAddresses: [UInt16] = [0x6A82, 0x6700, 0x6A86, 0x6D00, 0x6982, 0x6B00, 0x6F00]

  static let shortIdentifiers: [ChipCase] = statusesOfAddresses.flatMap { status in
    plainOrNot.flatMap { suffix, isPlain in
      [("basic", basic), ("modern", modern)].map { base, profile in
        quirk("short-identifier-\(digits(status))\(suffix) \(base)", profile) {
          $0.shortFileIdentifiers = ChipQuirks.Refusal(status, isPlain: isPlain)
        }
      }
    }
  }

  private static let statusesOfFiles: [UInt16] = [0x6B00, 0x6282, 0x6F00, 0x6A82, 0x6982]

  static let unreadable: [ChipCase] = statusesOfFiles.flatMap { status in
    [ElementaryFile.com, .sod, .dg2].map { file in
      quirk("unreadable \(file.name) \(digits(status))", basic, .incomplete([file.name])) {
        $0.unreadable = [file.identifier: status]
      }
    }
  }

  // MARK: - Access control

  private static let wrongKey: @Sendable (inout InspectionRequest) -> Void = {
    $0.key = try? .mrz(MRZInformation(documentNumber: "TS0264719", dateOfBirth: "900214", dateOfExpiry: "350630"))
  }

  private static let pace = changed(modern) { $0.requiresBasicAccessControl = false }

  private static let statusesOfWrongKeys: [UInt16] = [
    0x6300, 0x63CF, 0x6982, 0x6985, 0x6988, 0x6A80, 0x6A88, 0x6F00,
  ]

  static let wrongKeys: [ChipCase] = statusesOfWrongKeys.flatMap { status in
    [
      ChipCase(
        "BAC, wrong key, \(digits(status))", basic, .failure(.accessDenied),
        { $0.quirks.wrongBasicAccessKey = status }, request: wrongKey),
      ChipCase(
        "PACE, wrong key, \(digits(status))", pace, .failure(.accessDenied),
        { $0.quirks.wrongPACEPassword = status }, request: wrongKey),
    ]
  }

  static let access: [ChipCase] = [
    ChipCase(
      "PACE, wrong key, 63c2", pace, .failure(.accessDenied), { $0.quirks.wrongPACEPassword = 0x63C2 },
      request: wrongKey),
    quirk("PACE refused", modern, .failure(.accessControlUnsupported)) { $0.paceSelection = 0x6982 },
    ChipCase(
      "PACE refused and skipped", modern, .whole, { $0.quirks.paceSelection = 0x6982 },
      request: { $0.skipsPACE = true }),
    ChipCase(
      "card access number without PACE", basic, .failure(.usage),
      request: { $0.key = try? AccessKey(cardAccessNumber: "123456") }),
    ChipCase("nonce of 8 bytes, ECDH", pace) {
      $0.pace = [PACEOffer(.generic, .tripleDES, AgreementParameters(13))]
      $0.quirks.nonceLength = 8
    },
    ChipCase("nonce of 8 bytes, DH", pace) {
      $0.pace = [PACEOffer(.generic, .tripleDES, AgreementParameters(2))]
      $0.quirks.nonceLength = 8
    },
    quirk("nonce of 32 bytes", pace) { $0.nonceLength = 32 },
    ChipCase("no master file") {
      $0.refusals.masterFile = 0x6D00
      $0.refusals.cardAccess = 0x6D00
    },
  ]

  // MARK: - Selection

  /// github.com/AndyQ/NFCPassportReader, issues 156, 164 and 219; ISO/IEC 7816-4, 7.1.1.
  static let selections: [ChipCase] =
    ([0x00, 0x04] as [UInt8]).flatMap { parameter in
      [("basic", basic), ("PACE", pace)].map { base, profile in
        quirk("SELECT by P2 \(parameter) only, \(base)", profile) {
          $0.selectionParameter = parameter
          $0.shortFileIdentifiers = ChipQuirks.Refusal(0x6A86)
        }
      }
    } + [
      quirk("GET CHALLENGE soon after SELECT has status 6985") { $0.settlingTime = .milliseconds(300) },
      // Identity cards of several applications: EF.CardAccess is in the master file, which has to be selected first.
      quirk("another application at power-up, PACE", pace) { $0.hasOtherApplication = true },
      quirk("another application at power-up, BAC") { $0.hasOtherApplication = true },
      quirk("another application at power-up, which P2 0 leaves", pace) {
        $0.hasOtherApplication = true
        $0.selectionParameter = 0x00
      },
      // The identity card of Germany: BSI TR-03110-2, 3.4.
      quirk("authorised terminals only", pace, .failure(.accessControlUnsupported)) {
        $0.unreadable = [ElementaryFile.dg1.identifier: 0x6982]
      },
    ]

  /// github.com/gmrtd/gmrtd/issues/108 with 6A87, and siblings.
  static let unnamedParameters: [ChipCase] = [0x6A87, 0x6A88, 0x6985, 0x6982, 0x6F00].map { (status: UInt16) in
    quirk("PACE without domain parameters has status \(digits(status))", pace) { $0.paceWithoutParameters = status }
  }

  // MARK: - Sessions and statuses

  private static let statusesOfEnds: [UInt16] = [0x6988, 0x6987, 0x6985, 0x6F00]

  static let sessionEnds: [ChipCase] = [4, 5, 6, 7, 8, 9, 14, 20, 40].flatMap { command in
    statusesOfEnds.map { status in
      quirk("session ends at \(command) with \(digits(status))") {
        $0.interruption = ChipQuirks.Interruption(at: command, ChipQuirks.Refusal(status, isPlain: true))
      }
    }
  }

  static let modernSessionEnds: [ChipCase] = (8...24).map { command in
    quirk("session ends at \(command), PACE and CA", modern) {
      $0.interruption = ChipQuirks.Interruption(at: command, ChipQuirks.Refusal(0x6988, isPlain: true))
    }
  }

  static let statusWords: [ChipCase] = [
    quirk("outer status 9000") { $0.outerStatus = 0x9000 },
    quirk("outer status 9000, long reads refused") {
      $0.outerStatus = 0x9000
      $0.longestRead = 223
      $0.longRead = ChipQuirks.Refusal(0x6700)
    },
    quirk("outer status 9000, PACE", modern) { $0.outerStatus = 0x9000 },
    quirk("outer status 6F00") { $0.outerStatus = 0x6F00 },
    quirk("9000 at the end of a file") { $0.endOfFile = 0x9000 },
    // ISO/IEC 7816-4 prescribes no order of the data objects.
    quirk("the status before the cryptogram") { $0.sendsStatusFirst = true },
    quirk("the status before the cryptogram, PACE and CA", modern) { $0.sendsStatusFirst = true },
  ]

  // MARK: - Authentication

  private static let numbered = changed(modern) {
    $0.chipAuthentication = [ChipAuthenticationOffer(.aes256, AgreementParameters(12, .explicit), keyIdentifier: 3)]
  }

  private static let tripleDES = changed(basic) {
    $0.chipAuthentication = [ChipAuthenticationOffer(.tripleDES, AgreementParameters(13, .explicit))]
  }

  /// github.com/AndyQ/NFCPassportReader, issues 124 and 150; Doc 9303-11, 6.2.4.
  static let chipAuthentication: [ChipCase] =
    ([0x6985, 0x6A80, 0x6A88, 0x6F00] as [UInt16]).map { status in
      quirk("the only key is not named, \(digits(status)) at GENERAL AUTHENTICATE", numbered) {
        $0.unnamedChipKey = status
      }
    }
    + ([0x6D00, 0x6985, 0x6982, 0x6F00, 0x6700] as [UInt16]).map { status in
      quirk("MSE:Set KAT has status \(digits(status))", tripleDES) { $0.keyAgreementTemplate = status }
    } + [
      quirk("no application is selected after Chip Authentication", modern) { $0.leavesApplication = true },
      quirk("no application is selected after Chip Authentication, BAC", tripleDES) { $0.leavesApplication = true },
    ]

  static let signatures: [ChipCase] = [
    ChipCase("INTERNAL AUTHENTICATE needs the length of the signature, RSA") {
      $0.activeAuthentication = .rsa(bits: 1024, .sha1)
      $0.quirks.requiresSignatureLength = true
    },
    ChipCase("INTERNAL AUTHENTICATE needs the length of the signature, ECDSA") {
      $0.activeAuthentication = .ecdsa(AgreementParameters(12, .explicit), .sha256)
      $0.quirks.requiresSignatureLength = true
    },
    // ISO/IEC 9796-2: the trailer BC leaves the hash function open.
    ChipCase("trailer BC with SHA-256") {
      $0.responseLimit = 4096
      $0.activeAuthentication = .rsa(bits: 2048, .sha256, trailer: .implicit)
    },
  ]

  static let authentication: [ChipCase] = [
    ChipCase("signature of 2048 bits in parts") {
      $0.responseLimit = 4096
      $0.activeAuthentication = .rsa(bits: 2048, .sha256)
      $0.quirks.splitsLongResponses = true
    },
    ChipCase("signature of 2048 bits in parts, short") { $0.activeAuthentication = .rsa(bits: 2048, .sha256) },
    ChipCase("ECDSA P-384 with SHA-256") {
      $0.activeAuthentication = .ecdsa(AgreementParameters(15, .explicit), .sha256)
    },
    ChipCase("ECDSA P-224 with SHA-224") {
      $0.activeAuthentication = .ecdsa(AgreementParameters(10, .explicit), .sha224)
    },
    ChipCase("Chip Authentication without an info") {
      $0.chipAuthentication = [
        ChipAuthenticationOffer(.tripleDES, AgreementParameters(8, .explicit), hasInfo: false)
      ]
    },
    ChipCase("Chip Authentication with the number of the only key", modern) {
      $0.chipAuthentication = [
        ChipAuthenticationOffer(.aes256, AgreementParameters(12, .explicit), keyIdentifier: 65)
      ]
    },
  ]
}

@Suite("Chips as they are")
struct ChipCaseTests {
  static func read(_ row: ChipCase) async throws -> (files: ChipFiles, dump: Result<DocumentDump, any Error>) {
    let files = try SpecimenDocument(profile: row.profile).files
    return (files, try await Reads.read(files, profile: row.profile, row.request).dump)
  }

  private func check(_ row: ChipCase) async throws {
    let (files, result) = try await Self.read(row)
    switch row.outcome {
    case .failure(let kind):
      let error = #expect(throws: (any Error).self) { try result.get() }
      #expect(error.map { Failure($0).kind } == kind, "\(String(describing: error))")
    case .whole, .incomplete:
      let dump = try result.get()
      let missing = if case .incomplete(let names) = row.outcome { names } else { [String]() }
      #expect(dump.omissions.map(\.file.name) == missing)
      for file in files.all where !missing.contains(file.name) { #expect(dump[file] == files[file], "\(file.name)") }
      let report = try Report(dump)
      #expect(report.outcome != .notGenuine)
      let usesPACE = !row.profile.pace.isEmpty && dump.paceOmissionReason == nil
      #expect(dump.accessProtocol == (usesPACE ? .pace : .bac))
      if missing.isEmpty { #expect(report.isSound, "\(report.headline)") }
    }
  }

  @Test(
    "a read past the end of a file is refused",
    arguments: ChipCase.pastEnd + ChipCase.pastEndAndMore + ChipCase.pastEndOfCardAccess)
  func pastEnd(_ row: ChipCase) async throws { try await check(row) }

  @Test("costs few exchanges more, for the chip and not for each file", arguments: ChipProfile.deviating)
  func cost(_ profile: ChipProfile) async throws {
    let files = try Reads.longDocument(profile)
    func exchanges(_ profile: ChipProfile) async throws -> Int {
      try await Reads.read(files, profile: profile) { $0.dataGroups = [1, 2] }.dump.get().statistics.exchanges
    }
    guard let counted = try? await exchanges(profile) else { return #expect(profile.name == "fault-pace-selection") }
    // As of a chip that behaves; see ExchangeCountTests.
    let expected = profile.pace.isEmpty ? 97 : profile.responseLimit > 256 ? 15 : 104
    let name = profile.name.dropFirst("fault-".count)
    // Three for a new session of BAC, and at most two for the end of each file that is shorter than a block.
    let session = name.hasSuffix("-plain") || name.hasPrefix("session") ? 4 : 0
    switch name {
    // Another way to address each of four files; a session, perhaps two, to find it.
    case _ where name.hasPrefix("short-identifier"), "past-end-6a86-plain": #expect(counted <= expected + 11 + session)
    // More blocks, and up to three lengths that are refused twice.
    case _ where name.contains("long-read"): #expect(counted <= expected + 9 + 3 * session)
    case _ where name.hasPrefix("short-buffer"): #expect(counted <= expected + 48 + 5 * session)
    case "past-end-extended": #expect(counted <= expected + 5)
    case "signature-parts": break
    default: #expect(counted <= expected + 3 + session, "\(counted) for \(expected)")
    }
  }

  @Test("offers the PACE that EF.CardAccess of a saved document names", arguments: ["germany-2023", "france-id-2024"])
  func savedDocument(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let original = try SpecimenDocument(profile: profile).files
    let dump = try await Reads.read(original, profile: profile).dump.get()
    var files = ChipFiles(original.all.reduce(into: [.cardAccess: dump[.cardAccess] ?? []]) { $0[$1] = original[$1] })
    files.masterFiles = original.masterFiles
    let (result, _) = try await Reads.read(files, profile: .bac)
    let again = try result.get()
    #expect(again.accessProtocol == .pace && again.omissions.isEmpty)
    for file in original.all { #expect(again[file] == original[file], "\(file.name)") }
  }

  @Test(
    "SELECT is refused in a form, too soon, or in another application",
    arguments: ChipCase.selections + ChipCase.unnamedParameters)
  func selections(_ row: ChipCase) async throws { try await check(row) }

  @Test("keys are named, and signatures asked for, as chips demand", arguments: ChipCase.chipAuthentication)
  func chipAuthentication(_ row: ChipCase) async throws { try await check(row) }

  @Test("signatures are asked for and opened as chips make them", arguments: ChipCase.signatures)
  func signatures(_ row: ChipCase) async throws { try await check(row) }

  @Test("a card that answers with one byte has no travel document, as MIFARE DESFire in its own command set")
  func singleByte() async throws {
    let card = VirtualCard.card(try Chip(profile: .bac, files: Reads.specimen()))
    let request = InspectionRequest(key: try Reads.specimen().mrzInformation.map(AccessKey.mrz))
    await #expect(throws: PassportError.applicationNotFound(.none)) {
      try await Inspection.read(card.replacing(channel: SingleByte()), request)
    }
  }

  private struct SingleByte: CardChannel {
    func transmit(_ command: [UInt8]) async throws -> [UInt8] { [0x1C] }
  }

  @Test("fingerprints that the chip refuses in plain are protected, not missing")
  func plainRefusal() async throws {
    let group3 = BERTLV.encode(ElementaryFile.dg3.tag, [UInt8](repeating: 0, count: 40))
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    let image = FacialImage(data: SpecimenDocument.portrait, width: 413, height: 531)
    let groups = [1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [image]).encoded, 3: group3]
    let files = try SpecimenDocument(adding: groups, profile: .bac).files
    let card = VirtualCard.card(try Chip(profile: .bac, files: files))
    let channel = PlainAnswers(card.channel) { $0[1] == 0xB0 && $0[2] == 0x83 ? [0x69, 0x82] : nil }
    let request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz), dataGroups: [1, 2, 3])
    let dump = try await Inspection.read(card.replacing(channel: channel), request)
    #expect(dump.omissions.map(\.cause) == [.protected])
    #expect(try Report(dump).isSound)
  }

  @Test("a long read is refused", arguments: ChipCase.longReads)
  func longReads(_ row: ChipCase) async throws { try await check(row) }

  @Test("a short file identifier is refused", arguments: ChipCase.shortIdentifiers)
  func shortIdentifiers(_ row: ChipCase) async throws { try await check(row) }

  @Test("a file cannot be read", arguments: ChipCase.unreadable)
  func unreadable(_ row: ChipCase) async throws { try await check(row) }

  @Test("access control is refused, or unusual", arguments: ChipCase.wrongKeys + ChipCase.access)
  func access(_ row: ChipCase) async throws { try await check(row) }

  @Test(
    "the session ends once, or the status words differ",
    arguments: ChipCase.sessionEnds + ChipCase.modernSessionEnds + ChipCase.statusWords)
  func sessions(_ row: ChipCase) async throws { try await check(row) }

  @Test("the chip proves its key in an unusual way", arguments: ChipCase.authentication)
  func authentication(_ row: ChipCase) async throws { try await check(row) }
}

import TesseraCryptography
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// A desk that lies about what it has read. The outcome is never better than without the lie.
@Suite("Lies of a desk")
struct LyingDeskTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// The outcome for the original, if the lie concerns its document; nil if the desk gains and loses nothing, because
    /// nothing signs what it lies about.
    let outcome: Outcome?
    /// Whether the lie concerns this document.
    let concerns: @Sendable (DocumentDump) -> Bool
    let lie: Lie

    var testDescription: String { name }

    init(
      _ name: String, _ outcome: Outcome?, concerns: @escaping @Sendable (DocumentDump) -> Bool = { _ in true },
      _ statement: @escaping @Sendable (inout DeskStatement) throws -> Void
    ) {
      self.name = name
      self.outcome = outcome
      self.concerns = concerns
      lie = Lie(statement: statement)
    }

    init(
      _ name: String, _ outcome: Outcome?, concerns: @escaping @Sendable (DocumentDump) -> Bool,
      answer: @escaping @Sendable (WitnessedAnswer?) -> WitnessedAnswer?
    ) {
      self.name = name
      self.outcome = outcome
      self.concerns = concerns
      lie = Lie(answer: answer)
    }
  }

  private static func has(_ file: ElementaryFile) -> @Sendable (DocumentDump) -> Bool { { $0[file] != nil } }

  private static func omit(
    _ file: ElementaryFile, _ cause: DocumentDump.Omission.Cause
  ) -> @Sendable (inout DeskStatement) -> Void {
    {
      $0[file] = nil
      $0.omissions.append(.init(file: file, cause: cause, reason: "It is protected."))
    }
  }

  private static let hasKeys: @Sendable (DocumentDump) -> Bool = { $0[.dg14] != nil || $0[.dg15] != nil }
  private static let repeatsPACE: @Sendable (DocumentDump) -> Bool = {
    $0.content.offers(SecurityInfos.Arc.pace) && $0[.dg14] != nil
  }
  private static let offersChip: @Sendable (DocumentDump) -> Bool = { $0.content.chipAuthentication != nil }
  private static let offersMapping: @Sendable (DocumentDump) -> Bool = { $0.evidence.paceChipAuthentication != nil }

  private static let dropped: [Row] = [
    Row("drops DG14", .notEstablished, concerns: has(.dg14)) { $0[.dg14] = nil },
    Row("drops DG15", .notEstablished, concerns: has(.dg15)) { $0[.dg15] = nil },
    Row("drops DG15 and its answer", .notEstablished, concerns: has(.dg15)) {
      $0[.dg15] = nil
      $0.evidence.activeAuthentication = nil
    },
    Row("drops DG2", .notEstablished) { $0[.dg2] = nil },
    Row("drops EF.SOD", .notEstablished) { $0[.sod] = nil },
    Row("drops EF.COM", nil) { $0[.com] = nil },
    Row("drops EF.COM, DG14 and DG15", .notEstablished, concerns: hasKeys) {
      for file in [ElementaryFile.com, .dg14, .dg15] { $0[file] = nil }
    },
    Row(
      "drops EF.CardAccess", .notEstablished,
      concerns: repeatsPACE
    ) {
      $0[.cardAccess] = nil
    },
    Row("drops EF.CardSecurity", .notEstablished, concerns: has(.cardSecurity)) { $0[.cardSecurity] = nil },
  ]

  private static let omitted: [Row] = [ElementaryFile.dg2, .dg14, .dg15].flatMap { file in
    [DocumentDump.Omission.Cause.protected, .notReached, .undelivered].map { cause in
      Row("says that \(file.name) is \(cause)", .notEstablished, concerns: has(file), omit(file, cause))
    }
  }

  private static let changed: [Row] =
    [ElementaryFile.dg1, .dg2, .dg14, .dg15].flatMap { file in
      [4, 1, 2].map { part in
        // In the last bytes, in the middle and in the first half.
        Row("changes a byte of \(file.name) at 1/\(part)", .notGenuine, concerns: has(file)) {
          guard var bytes = $0[file] else { return }
          bytes[(bytes.count - 1) / part] ^= 0x04
          $0[file] = bytes
        }
      }
    }
    // The byte of EF.SOD may be one of its certificate, which the country publishes too. Nothing signs the others.
    + [ElementaryFile.sod, .com, .cardAccess, .cardSecurity].flatMap { file in
      [4, 1, 2].map { part in
        Row("changes a byte of \(file.name) at 1/\(part)", nil, concerns: has(file)) {
          guard var bytes = $0[file] else { return }
          bytes[(bytes.count - 1) / part] ^= 0x04
          $0[file] = bytes
        }
      }
    }

  private static let claimed: [Row] = [
    Row("adds a data group that EF.SOD does not list", .notGenuine) { $0[.dg16] = [0x70, 0x00] },
    Row("names another MRZ", .notEstablished) {
      $0.givenKey = try MRZInformation(documentNumber: "X1234567", dateOfBirth: "700101", dateOfExpiry: "300101")
    },
    Row("names no MRZ", nil) { $0.givenKey = nil },
    Row("names another access protocol", nil) { $0.accessProtocol = $0.accessProtocol == .pace ? .bac : .pace },
    Row("names no access protocol", nil) { $0.accessProtocol = .none },
    Row("reports Terminal Authentication", nil) {
      $0.evidence.terminalAuthentication = TerminalAuthenticationEvidence(
        authorities: ["A"], chain: ["B"], outcome: .accepted)
    },
  ]

  private static let active: [Row] = [
    Row("drops the answer of Active Authentication", .notEstablished, concerns: has(.dg15)) {
      $0.evidence.activeAuthentication = nil
    },
    Row("says that its reader cannot carry the answer", .notEstablished, concerns: has(.dg15)) {
      $0.evidence.activeAuthentication = $0.evidence.activeAuthentication.map {
        ActiveAuthenticationEvidence(
          challenge: $0.challenge, signature: nil, status: StatusWord(0x6700), isBeyondReader: true)
      }
    },
    Row("says that the chip refused Active Authentication", .notEstablished, concerns: has(.dg15)) {
      $0.evidence.activeAuthentication = $0.evidence.activeAuthentication.map {
        ActiveAuthenticationEvidence(challenge: $0.challenge, signature: nil, status: StatusWord(0x6982))
      }
    },
    Row("states another challenge for the answer", .notEstablished, concerns: has(.dg15)) {
      $0.evidence.activeAuthentication = $0.evidence.activeAuthentication.map {
        ActiveAuthenticationEvidence(challenge: [0, 0, 0, 0, 0, 0, 0, 0], signature: $0.signature, status: $0.status)
      }
    },
  ]

  private static let chip: [Row] = [
    Row("gives no answer", .notEstablished, concerns: offersChip) { _ in nil },
    Row("gives an empty answer", .notEstablished, concerns: offersChip) { _ in WitnessedAnswer() },
    Row("says that the chip refused", .notEstablished, concerns: offersChip) { _ in
      WitnessedAnswer(refusal: StatusWord(0x6A80))
    },
    Row("says that nothing was sent", .notEstablished, concerns: offersChip) { _ in
      WitnessedAnswer(refusal: StatusWord.none)
    },
    Row("answers in plain", .notGenuine, concerns: offersChip) { _ in WitnessedAnswer(response: [0x90, 0x00]) },
    Row("changes a byte of the answer", .notGenuine, concerns: offersChip) {
      guard var response = $0?.response, !response.isEmpty else { return $0 }
      response[response.count / 2] ^= 0x01
      return WitnessedAnswer(response: response)
    },
    Row("reports a refusal of its own run", .notEstablished, concerns: offersChip) {
      $0.evidence.chipAuthentication = ChipAuthenticationEvidence(
        protocolIdentifier: "0.4.0.127.0.7.2.2.3.2.2", keyIdentifier: nil, readerPrivateKey: SecretBytes([]),
        refusal: StatusWord(0x6A80))
    },
    Row("reports that the chip prevented Chip Authentication", nil) { $0.evidence.withholdsChipAuthentication = true },
  ]

  private static let mapping: [Row] = [
    Row("drops the evidence of Chip Authentication Mapping", nil, concerns: offersMapping) {
      $0.evidence.paceChipAuthentication = nil
    },
    Row("hides Chip Authentication Mapping", nil, concerns: offersMapping) {
      $0.evidence.paceChipAuthentication = nil
      $0.accessProtocol = .bac
      $0[.cardSecurity] = nil
      $0[.cardAccess] = nil
    },
    Row("forges the evidence of Chip Authentication Mapping", .notEstablished, concerns: offersMapping) {
      $0.evidence.paceChipAuthentication = $0.evidence.paceChipAuthentication.map {
        PACEChipAuthenticationEvidence(
          protocolIdentifier: $0.protocolIdentifier, parameterIdentifier: $0.parameterIdentifier,
          mappingKey: $0.mappingKey, chipAuthenticationData: [UInt8](repeating: 0xFF, count: 100_000), isPresent: true)
      }
    },
    Row("says that the chip refused Chip Authentication Mapping", .notEstablished) {
      $0.evidence.mappingRefusal = StatusWord(0x6A80)
    },
  ]

  static let rows = dropped + omitted + changed + claimed + active + chip + mapping

  /// The lies about a file or a claim, which do not depend on the proofs of the chip.
  private static let independent = Set((omitted + changed + claimed).map(\.name))

  /// Whether a lie is told about a document, or about its copy. Those that do not depend on the proofs are told about
  /// every second document and every fourth copy, by turns: any file that two documents have is then lied about.
  private static func isTold(_ row: Row, about document: String, isCopy: Bool = false) -> Bool {
    guard !Sweep.isFull, independent.contains(row.name), let document = documents.firstIndex(of: document),
      let number = rows.firstIndex(where: { $0.name == row.name })
    else { return true }
    return (number + document) % (isCopy ? 4 : 2) == 0
  }

  /// Every combination of proofs.
  static let documents = [
    "malaysia-2023", "hong-kong-2025", "finland-2023", "germany-2023", "all", "united-states-2021",
  ]

  /// The chip with every mechanism offers dozens of keys and groups, which are parsed in each of a thousand reads and
  /// prove nothing more: it has two of each here.
  static func profile(_ name: String) throws -> ChipProfile {
    var profile = try #require(ChipProfile(named: name))
    if name == ChipProfile.mechanisms.name, !Sweep.isFull {
      profile.pace = profile.pace.filter { $0.mapping == .generic && [13, 18].contains($0.parameters.identifier) }
      profile.chipAuthentication = profile.chipAuthentication.suffix(2)
    }
    return profile
  }

  @Test("the table has every lie once")
  func names() {
    #expect(Set(Self.rows.map(\.name)).count == Self.rows.count && Self.rows.count == 64)
  }

  /// nil if DG1 cannot be read, which is an error and no verdict.
  private static func outcome(
    _ document: SpecimenDocument, _ profile: ChipProfile, files: ChipFiles? = nil, _ lie: Lie
  ) async throws -> Outcome? {
    do {
      return try await WitnessedRead(document, profile, files: files, TestInspector(lie)).report.outcome
    } catch PassportError.fileMalformed(.dg1, _), PassportError.fileMissing(.dg1, _) {
      return nil
    }
  }

  @Test("the outcome is never better than without the lie", arguments: documents)
  func table(_ name: String) async throws {
    let profile = try Self.profile(name)
    let document = try SpecimenDocument(profile: profile)
    var clone = profile
    clone.fault = .clone
    let honest = try await WitnessedRead(document, profile)
    let copied = try await WitnessedRead(document, clone).report.outcome
    for row in Self.rows where row.concerns(honest.dump) && Self.isTold(row, about: name) {
      let outcome = try await Self.outcome(document, profile, row.lie)
      #expect((outcome?.rank ?? 0) <= honest.report.outcome.rank, "\(row)")
      if let expected = row.outcome {
        #expect((outcome ?? .notGenuine).rank == min(expected.rank, honest.report.outcome.rank), "\(row)")
      }
      guard copied != .genuine,
        Self.isTold(row, about: name, isCopy: true)
      else { continue }
      // The lie about a copied chip. A desk that withholds the chip's wrong answer withholds the proof against it, and
      // none makes a copy genuine.
      let other = try await Self.outcome(document, clone, row.lie)
      #expect(other != .genuine, "a copy, and the desk \(row)")
    }
  }

  @Test("all lies concern a document")
  func concerned() async throws {
    var unused = Set(Self.rows.map(\.name))
    for name in Self.documents {
      let profile = try Self.profile(name)
      let dump = try await WitnessedRead(SpecimenDocument(profile: profile), profile).dump
      for row in Self.rows where row.concerns(dump) { unused.remove(row.name) }
    }
    #expect(unused.isEmpty)
  }

  // MARK: - Two chips and two reads

  static let proved = documents.filter { !["finland-2023", "united-states-2021"].contains($0) }

  @Test("the files of one document and the answers of another chip", arguments: proved)
  func swapped(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    // Another document of the same kind, which is genuine, and whose keys are its own.
    let other = try SpecimenDocument(adding: SpecimenDocument.everyGroup(), profile: profile)
    let files = try await WitnessedRead(document, profile).dump.files
    let lie = Lie(statement: { $0.files = files })
    let mixed = try await WitnessedRead(document, profile, files: other.files, TestInspector(lie))
    // The specimens of one profile have the same keys: then the chip is the original's, and the files are complete.
    let isSameChip = other.files[.dg14] == document.files[.dg14] && other.files[.dg15] == document.files[.dg15]
    #expect(mixed.report.outcome == (isSameChip ? .genuine : .notGenuine))
    // The same with a chip that has other keys for certain.
    var copy = profile
    copy.fault = .clone
    let swapped = try await WitnessedRead(document, copy, files: other.files, TestInspector(lie))
    #expect(swapped.report.outcome == .notGenuine && swapped.report.outcomeReason == .chip)
  }

  @Test("one file of another document", arguments: documents)
  func mixed(_ name: String) async throws {
    let profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    let other = try SpecimenDocument(
      adding: [1: DataGroup1(zone: try MachineReadableZone(SpecimenDocument.content, format: .td3)).encoded],
      profile: profile)
    let foreign = try SpecimenDocument().files
    for file in [ElementaryFile.dg1, .dg2, .sod] {
      for files in [other.files, foreign] where files[file] != nil && files[file] != document.files[file] {
        // Another EF.SOD over the same data groups, by the same signer, is as good.
        guard file != .sod || Self.groups(files) != Self.groups(document.files) else { continue }
        let bytes = files[file]
        let outcome = try await Self.outcome(document, profile, Lie(statement: { $0[file] = bytes }))
        #expect(outcome == nil || outcome == .notGenuine, "\(file.name)")
      }
    }
  }

  private static func groups(_ files: ChipFiles) -> [Int: [UInt8]] {
    files.all.reduce(into: [:]) { groups, file in
      if let number = file.dataGroup { groups[number] = files[file] }
    }
  }

  @Test("answers of an earlier read of the original, with a copied chip", arguments: proved)
  func replayed(_ name: String) async throws {
    var profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    // All that a desk can keep: a witnessed read and one of its own.
    let witnessed = try await WitnessedRead(document, profile, TestInspector(challenge: [8, 7, 6, 5, 4, 3, 2, 1]))
    let own = try await WitnessedRead.local(document, profile)
    #expect(witnessed.report.outcome == .genuine && own.report.outcome == .genuine)
    let old = (evidence: witnessed.dump.evidence, answer: witnessed.answer, own: own.dump.evidence)
    let lies = [
      Lie(statement: { $0.evidence = old.evidence }, answer: { _ in old.answer }),
      Lie(statement: { $0.evidence = old.own }, answer: { _ in old.answer }),
      Lie(statement: { $0.evidence = old.own }, answer: { _ in nil }),
      Lie(
        statement: { $0.evidence = old.own },
        answer: { _ in WitnessedAnswer(response: old.own.chipAuthentication?.firstAnswer) }),
      Lie(statement: { statement in
        // The old signature as if it were over the new challenge.
        statement.evidence.activeAuthentication = old.own.activeAuthentication.map {
          ActiveAuthenticationEvidence(challenge: [1, 2, 3, 4, 5, 6, 7, 8], signature: $0.signature, status: $0.status)
        }
      }),
    ]
    profile.fault = .clone
    for lie in lies {
      let read = try await WitnessedRead(document, profile, TestInspector(lie))
      #expect(
        read.report.outcome != .genuine
          && read.report.failedChecks.contains { $0.id == .chipAuthentication || $0.id == .activeAuthentication },
        "\(read.report.headline)")
    }
  }

  @Test("a replayed Chip Authentication Mapping proves nothing", arguments: ["finland-2023", "germany-2023"])
  func replayedMapping(_ name: String) async throws {
    var profile = try #require(ChipProfile(named: name))
    let document = try SpecimenDocument(profile: profile)
    let own = try await WitnessedRead.local(document, profile)
    #expect(own.report[.paceChipAuthentication]?.status == .passed)
    profile.fault = .clone
    let old = own.dump.evidence.paceChipAuthentication
    let read = try await WitnessedRead(
      document, profile, TestInspector(Lie { $0.evidence.paceChipAuthentication = old }))
    #expect(read.report[.paceChipAuthentication]?.status == .skipped)
    #expect(read.report.outcome == (name == "finland-2023" ? .notEstablished : .notGenuine))
    // Without the lie the copy is found.
    #expect(try await WitnessedRead(document, profile).report[.paceChipAuthentication]?.status == .failed)
  }

  // MARK: - Required data groups

  @Test("an inspector that needs fewer data groups accepts fewer, but always needs the chip's keys")
  func required() async throws {
    let profile = try #require(ChipProfile(named: "malaysia-2023"))
    let document = try SpecimenDocument(profile: profile)
    func outcome(_ groups: Set<Int>?, _ required: Set<Int>?, _ lie: Lie = Lie()) async throws -> Outcome {
      try await WitnessedRead(document, profile, TestInspector(lie, requiredGroups: required)) {
        $0.dataGroups = groups
      }.report.outcome
    }
    #expect(try await outcome([1], [1]) == .genuine)
    #expect(try await outcome([1], [1, 2]) == .notEstablished)
    #expect(try await outcome([1], nil) == .notEstablished)
    #expect(try await outcome(nil, nil) == .genuine)
    #expect(try await outcome([1], [], Lie { $0[.dg14] = nil }) == .notEstablished)
    #expect(try await outcome([1, 2], [1], Lie { $0[.dg2]?[100] ^= 1 }) == .notGenuine)
  }
}

import PassportTestSupport
import TesseraSmartCard
import TesseraVerification
import TestSupport
import Testing

@testable import TesseraFleet
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// What a desk tells its inspector. A lying desk changes it.
struct DeskStatement: Sendable {
  var files: [(file: ElementaryFile, bytes: [UInt8])]
  var evidence: ChipEvidence
  var omissions: [DocumentDump.Omission]
  var givenKey: MRZInformation?
  var accessProtocol: AccessProtocol

  init(_ dump: DocumentDump) {
    files = dump.files
    evidence = dump.evidence
    omissions = dump.omissions
    givenKey = dump.givenKey
    accessProtocol = dump.accessProtocol
  }

  subscript(file: ElementaryFile) -> [UInt8]? {
    get { files.first { $0.file == file }?.bytes }
    set {
      files.removeAll { $0.file == file }
      if let newValue { files.append((file, newValue)) }
    }
  }
}

/// What a desk says otherwise than it is.
struct Lie: Sendable {
  var statement: @Sendable (inout DeskStatement) throws -> Void = { _ in }
  var answer: @Sendable (WitnessedAnswer?) -> WitnessedAnswer? = { $0 }
}

/// The inspector of one read, in the same process as its desk.
actor TestInspector: ChipWitness {
  nonisolated let challenge: [UInt8]
  private let lie: Lie
  private let requiredGroups: Set<Int>?
  private(set) var stated: DocumentDump?
  private(set) var dump = DocumentDump()
  private(set) var witness: ChipAuthenticationWitness?
  private(set) var calls = 0
  /// The chip's answer to the agreement.
  private(set) var answer: WitnessedAnswer?

  init(_ lie: Lie = Lie(), challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], requiredGroups: Set<Int>? = nil) {
    self.lie = lie
    self.challenge = challenge
    self.requiredGroups = requiredGroups
  }

  func agreement(for dump: DocumentDump) throws -> WitnessedAgreement? {
    calls += 1
    stated = dump
    var statement = DeskStatement(dump)
    try lie.statement(&statement)
    let evidence = try statement.evidence.json().map { try ChipEvidence(json: $0) } ?? ChipEvidence()
    var received = DocumentDump(
      witnessed: statement.files, deskEvidence: evidence, challenge: challenge, omissions: statement.omissions,
      requiredGroups: requiredGroups)
    received.givenKey = statement.givenKey
    received.accessProtocol = statement.accessProtocol
    self.dump = received
    witness = try ChipAuthenticationWitness(for: received)
    return witness?.agreement
  }

  func record(_ answer: WitnessedAnswer) { self.answer = answer }

  /// The verdict after the chip's answer.
  func report(_ answer: WitnessedAnswer?, _ trust: TrustMaterial) throws -> Report {
    var judged = dump
    judged.add(chipAuthentication: witness?.evidence(for: lie.answer(answer)))
    return try Report(judged, trust: trust, challenge: judged.requiredChallenge(challenge))
  }
}

/// A witnessed read with both sides in this process.
struct WitnessedRead {
  /// The desk's result.
  let dump: DocumentDump
  /// The chip's; nil if it had nothing to prove.
  let answer: WitnessedAnswer?
  let inspector: TestInspector
  let report: Report

  /// - Parameters:
  ///   - document: the document whose country is trusted.
  ///   - files: of the chip; nil for the document's.
  ///   - card: the card; nil for a virtual one with this profile.
  init(
    _ document: SpecimenDocument, _ profile: ChipProfile, files: ChipFiles? = nil, card: Card? = nil,
    _ inspector: TestInspector = TestInspector(), _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws {
    let files = files ?? document.files
    let card = try card ?? VirtualCard.card(Chip(profile: profile, files: files))
    var request = InspectionRequest(key: files.mrzInformation.map(AccessKey.mrz))
    request.activeAuthenticationChallenge = inspector.challenge
    change(&request)
    request.prove(by: inspector)
    dump = try await Inspection.read(card, request)
    answer = await inspector.answer
    self.inspector = inspector
    report = try await inspector.report(answer, TrustMaterial(of: document))
  }

  /// A read of the same kind without an inspector.
  static func local(
    _ document: SpecimenDocument, _ profile: ChipProfile, _ change: (inout InspectionRequest) -> Void = { _ in }
  ) async throws -> (dump: DocumentDump, report: Report) {
    var request = InspectionRequest(key: document.files.mrzInformation.map(AccessKey.mrz))
    change(&request)
    let card = try VirtualCard.card(Chip(profile: profile, files: document.files))
    let dump = try await Inspection.read(card, request)
    return (dump, try Report(dump, trust: TrustMaterial(of: document)))
  }
}

extension Outcome {
  /// A higher rank is better.
  var rank: Int {
    switch self {
    case .notGenuine: 0
    case .notEstablished: 1
    case .genuine: 2
    }
  }
}

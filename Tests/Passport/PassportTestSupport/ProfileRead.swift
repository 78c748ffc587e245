import Synchronization
public import TesseraPassport
import TesseraSmartCard
public import TesseraVerification
public import TesseraVirtualChip
import TestSupport

/// One read of a profile of the virtual chip in this process. All tests of the process share it: the first that asks
/// for it reads the chip, the others start from its dump and report.
public struct ProfileRead: Sendable {
  public let profile: ChipProfile
  /// The document of the chip, with what its country publishes.
  public let document: SpecimenDocument
  /// The error of the read, for a chip that ends it.
  public let result: Result<DocumentDump, any Error>
  /// The verdict on the dump, with the certificates of the document's country.
  public let verdict: Result<Report, any Error>
  /// The commands that the chip received, and its responses.
  public let commands: [[UInt8]]
  public let responses: [[UInt8]]

  public var files: ChipFiles { document.files }
  public var trust: TrustMaterial { TrustMaterial(of: document) }
  /// - Throws: the error of the read.
  public var dump: DocumentDump { get throws { try result.get() } }
  /// - Throws: the error of the read.
  public var report: Report { get throws { try verdict.get() } }

  /// The read of a profile by the key of its data page.
  ///
  /// - Parameters:
  ///   - name: of a profile.
  ///   - cardAccessNumber: the key instead of that of the data page.
  ///   - readsCardFiles: whether EF.DIR, EF.ATR/INFO and EF.CardSecurity are read too.
  public static func of(
    _ name: String, cardAccessNumber: String? = nil, readsCardFiles: Bool = false
  ) async throws -> ProfileRead {
    let key = Key(name: name, cardAccessNumber: cardAccessNumber, readsCardFiles: readsCardFiles)
    let task = reads.withLock { reads in
      if let task = reads[key] { return task }
      let task = Task { try await ProfileRead(key) }
      reads[key] = task
      return task
    }
    return try await task.value
  }

  private struct Key: Hashable {
    let name: String
    let cardAccessNumber: String?
    let readsCardFiles: Bool
  }

  private struct UnknownProfile: Error {
    let name: String
  }

  private static let reads = Mutex<[Key: Task<ProfileRead, any Error>]>([:])

  private init(_ key: Key) async throws {
    guard let profile = ChipProfile(named: key.name) else { throw UnknownProfile(name: key.name) }
    self.profile = profile
    document = try SpecimenDocument(profile: profile)
    let card = VirtualCard.card(try Chip(profile: profile, files: document.files))
    let channel = FaultyChannel(card.channel)
    var request = InspectionRequest(
      key: try key.cardAccessNumber.map { try AccessKey(cardAccessNumber: $0) }
        ?? document.files.mrzInformation.map(AccessKey.mrz))
    request.readsCardFiles = key.readsCardFiles
    do {
      let dump = try await Inspection.read(card.replacing(channel: channel), request)
      result = .success(dump)
      let trust = TrustMaterial(of: document)
      verdict = Result { try Report(dump, trust: trust) }
    } catch {
      result = .failure(error)
      verdict = .failure(error)
    }
    commands = await channel.commands
    responses = await channel.responses
  }
}

extension ProfileRow {
  /// Five documents for tests that read by way of processes, of pcscd or of a fleet, where each read is expensive and a
  /// transport cannot distort one document without another. Together they have every access protocol of the table, every
  /// kind of proof, and both lengths of commands:
  ///
  /// - `open`: no access control, no proof, short length.
  /// - `china-2018`: BAC, Active Authentication with RSA, short length.
  /// - `canada-2023`: PACE with generic mapping, Chip Authentication, short length.
  /// - `hong-kong-2025`: PACE with generic mapping, Active Authentication with ECDSA, extended length.
  /// - `finland-2023`: PACE with Chip Authentication Mapping, which is its only proof, extended length.
  ///
  /// No document of the table is read with integrated mapping, since all offer another one too; `OfferTests` reads with
  /// it in process.
  public static let representatives = Sweep.rows(all) {
    ["open", "china-2018", "canada-2023", "hong-kong-2025", "finland-2023"].contains($0.name)
  }
}

extension FaultRow {
  /// One fault for each kind of end, for the same tests:
  ///
  /// - `fault-clone`: the chip is accused, by both proofs that use a key.
  /// - `fault-parameters`: authenticity is not established.
  /// - `fault-token`: access control fails, so that there is no report.
  /// - `fault-blocked`: access is denied, with a card access number.
  /// - `fault-lost`: the card is removed, and the read resumes and passes.
  public static let representatives = Sweep.rows(all) {
    ["fault-clone", "fault-parameters", "fault-token", "fault-blocked", "fault-lost"].contains($0.name)
  }
}

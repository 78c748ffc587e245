import Foundation
import Tessera
import TesseraVirtualChip
import TestSupport
import Testing

/// A user's data folder with a trust store, and files to import.
struct TrustHome {
  static let masterList = Fixtures.specimen("masterlist").appendingPathComponent("DE_ML_2026-05-28-08-28-45.ml").path

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var environment: [String: String] { ["XDG_DATA_HOME": folder.file("data")] }
  var store: TrustStore { TrustStore(folder: folder.file("data/tessera/trust")) }

  /// The content of the store's file; empty if there is none.
  var bytes: [UInt8] { folder.bytes("data/tessera/trust/certificates") }

  /// The file names in the store's folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: store.folder).sorted() }
  }

  /// Writes a file, and returns its path.
  func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: folder.url.appendingPathComponent(name))
    return folder.file(name)
  }

  func tessera(_ arguments: String...) async throws -> ProgramRun { try await tessera(arguments) }

  func tessera(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun.tessera(arguments, environment: environment)
  }

  /// Runs `tessera trust`, and expects success.
  @discardableResult
  func trust(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ProgramRun {
    let run = try await tessera(["trust"] + arguments)
    #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
    return run
  }

  /// The certificates of `trust list --json`.
  func list() async throws -> [JSONValue] {
    guard case .array(let certificates)? = try json(try await trust("list", "--json").output)["certificates"] else {
      return []
    }
    return certificates
  }

  /// What the test country of the virtual chip publishes.
  static func testCountry(_ profile: String = "all") throws -> TestCountry {
    try SpecimenDocument(profile: try #require(ChipProfile(named: profile))).country
  }
}

import Foundation
import TesseraBridge
import TesseraCryptography
import TesseraLinuxProviders
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("A clock before what was signed")
struct ClockWatchTests {
  @Test("is noticed by an imported list, and told once until it is right again")
  func lists() throws {
    let folder = try TemporaryFolder()
    let country = try SpecimenDocument().country
    let trust = TrustMaterial(
      name: "test", countrySigners: country.countrySigners, revocationLists: country.revocationLists)
    let newest = try #require(trust.revocationLists.map(\.list.thisUpdate).max())
    let watch = ClockWatch(path: folder.file("clock"))
    let early = newest - PassedTime.tolerance - 1
    #expect(watch.isRight(at: early) && watch.news(at: early) == nil)
    watch.learn(from: TrustDates(trust))
    #expect(!watch.isRight(at: early) && watch.isRight(at: newest))
    #expect(watch.news(at: early)?.cause.contains("the revocation list of") == true)
    #expect(watch.news(at: early) == nil)
    #expect(watch.news(at: newest) == nil && watch.news(at: early) != nil)
    // The lists are in their own store.
    #expect(!FileManager.default.fileExists(atPath: folder.file("clock")))
    #expect(ClockWatch(path: folder.file("clock")).isRight(at: early))
    // A list whose date was wrong counts until it is removed.
    watch.learn(from: TrustDates(TrustMaterial()))
    #expect(watch.isRight(at: early))
  }

  /// A device that does not answer.
  private struct SilentProvider: NfcProvider {
    func isAvailable() async -> Bool {
      try? await Task.sleep(for: .seconds(3_600))
      return true
    }
    func cancelScan() async {}
    func scanPassport(
      _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
    ) async throws -> NfcScanResult { throw CancellationError() }
  }

  @Test("the devices of a registry: present, absent, and one that does not answer in time")
  func devices() async throws {
    let registry = SdkProviderRegistry()
    var devices = await registry.devices(within: .seconds(60))
    #expect(devices.reader == false && devices.camera == false)
    let files = try SpecimenDocument().files
    registry.register { $0.nfc = PassportNfcProvider(source: .virtual(.bac, files)) }
    devices = await registry.devices(within: .seconds(60))
    #expect(devices.reader == true && devices.camera == false)
    registry.register { $0.nfc = SilentProvider() }
    devices = await registry.devices(within: .milliseconds(10))
    #expect(devices.reader == nil)
  }
}

import FoundationEssentials
package import Tessera

/// What a service knows of its machine: whether its clock can be right, for its log, and its devices and certificates, for
/// its figures. It knows nothing of documents but when the newest one was signed, of which its log has the year at most.
package struct ServiceWatch: Sendable {
  /// The devices of the bridge.
  package let registry = SdkProviderRegistry()
  /// The dates of the imported certificates; nil if the service uses others.
  private let imported: ImportedDates?
  /// nil if documents are those of the virtual chip: what they say of the time must not count for real ones.
  private let clock: ClockWatch?
  private let log: @Sendable (String) -> Void

  /// How long a device may take to answer.
  private static let limit = Duration.seconds(2)

  /// - Parameter log: receives sentences for the operator, which contain nothing of a document, at most the year of a
  ///   signature.
  package init(_ options: ServeOptions, log: @escaping @Sendable (String) -> Void) {
    let isVirtual = options.card.virtualProfile != nil
    imported = isVirtual || options.desk.fleet.isGiven ? nil : ImportedDates()
    clock = isVirtual ? nil : ClockWatch(.standard(ProcessInfo.processInfo.environment))
    self.log = log
  }

  /// Has the clock learn from each document that is read.
  func observe(_ registry: SdkProviderRegistry) {
    guard let clock else { return }
    registry.register { providers in
      providers.nfc = providers.nfc.map { nfc in
        RecordingNfcProvider(nfc) { scan in
          clock.learn(from: scan)
          tellClock()
        }
      }
    }
  }

  /// Compares the clock with what was imported, and with the documents of earlier runs.
  package func compareClock() async { _ = await dates() }

  /// The figures of this moment; not a number if nobody knows.
  package func gauges() async -> [(name: String, value: Double)] {
    let devices = await registry.devices(within: Self.limit)
    var gauges: [(name: String, value: Double)] = [
      ("tessera_reader_connected", devices.reader.map { $0 ? 1 : 0 } ?? .nan),
      ("tessera_camera_present", devices.camera.map { $0 ? 1 : 0 } ?? .nan),
    ]
    if imported != nil { gauges += TrustDates.gauges(await dates()) }
    if let clock { gauges.append(("tessera_clock_right", clock.isRight() ? 1 : 0)) }
    return gauges
  }

  /// - Returns: nil if the store cannot be read, which the next scan says.
  private func dates() async -> TrustDates? {
    let dates = await imported?.current()
    if let dates { clock?.learn(from: dates) }
    tellClock()
    return dates
  }

  private func tellClock() {
    if let problem = clock?.news() { log(problem.description) }
  }
}

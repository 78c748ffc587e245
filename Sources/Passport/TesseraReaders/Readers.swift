import TesseraSmartCard
import TesseraThreads

/// The readers of both stacks as one list. A device that pcscd drives is listed as a PC/SC reader only. A device that
/// libnfc could drive is listed as a libnfc device, even if another program or a kernel driver uses it.
public enum Readers {
  /// The readers that are connected and the cards in them. A libnfc device that is free is opened for a moment to
  /// detect a card.
  ///
  /// - Throws: If there is no libnfc device: `CardError.noReaderAnywhere`, and the errors of PC/SC.
  public static func now() async throws -> [CardReader] {
    let pcsc: Result<[CardReader], CardError> = await PCSCContext.currentReaders()
    let devices = devices(besides: try? pcsc.get())
    if devices.isEmpty {
      if pcsc == .failure(.serviceUnavailable) { throw CardError.noReaderAnywhere }
      return try pcsc.get()
    }
    var readers = (try? pcsc.get()) ?? []
    for device in devices { readers.append(await reader(device)) }
    return readers
  }

  /// The names of the PC/SC readers, to choose from: no libnfc device is opened, and no card is looked for longer.
  ///
  /// - Returns: empty if the service does not answer within this time.
  package static func names(within time: Duration) async -> [String] {
    (try? await PCSCContext.currentReaders(within: time).get())?.map(\.name) ?? []
  }

  /// The readers that are connected, then every change, until the consumer stops listening.
  ///
  /// Of a libnfc device only its connection and removal are reported: to poll for cards would block the device for
  /// every other program. If there is no PC/SC service at the beginning but there are libnfc devices, only those are
  /// followed. A service that ends later is followed again when it runs again.
  public static func events() -> AsyncThrowingStream<ReaderEvent, any Error> { events(waitsForService: false) }

  /// The same, also if no PC/SC service runs at the beginning. `events()` then ends at once with
  /// `CardError.serviceUnavailable`, unless there are libnfc devices.
  ///
  /// - Parameter waitsForService: whether to follow a PC/SC service that does not run at the beginning, too, as soon as
  ///   it runs.
  public static func events(waitsForService: Bool) -> AsyncThrowingStream<ReaderEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await follow(waitsForService: waitsForService) { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error is CancellationError ? nil : error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Whether the PC/SC service does not run, and no libnfc device is connected.
  package static func areUnreachable() async -> Bool {
    await PCSCContext.currentReaders() == .failure(.serviceUnavailable) && devices(besides: nil).isEmpty
  }

  private static func follow(
    waitsForService: Bool, _ report: @escaping @Sendable (ReaderEvent) -> Void
  ) async throws {
    let isServiceMissing = await PCSCContext.currentReaders() == .failure(.serviceUnavailable)
    let isWithoutService = isServiceMissing && !waitsForService && !devices(besides: nil).isEmpty
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !isWithoutService {
        group.addTask {
          for try await event in PCSCContext.events(waitsForService: waitsForService) { report(event) }
        }
      }
      group.addTask {
        var known: [CardReader] = []
        for await _ in deviceChanges() {
          let now = devices(besides: try? await PCSCContext.currentReaders().get()).map { CardReader($0) }
          for event in ReaderEvent.between(known, now) { report(event) }
          known = now
        }
        // The kernel reports no USB events to this process; PC/SC continues.
        await untilCancelled()
      }
      // The first task that ends is the one that failed.
      try await group.next()
      group.cancelAll()
    }
  }

  /// One element at once, then one after each time that USB devices were connected or removed. After a connection it
  /// comes with a delay, in which pcscd or a kernel driver may claim the device.
  static func deviceChanges() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let events = USBEvent.stream()
      continuation.yield()
      guard let events else { return continuation.finish() }
      let task = Task {
        // A new device causes several events, which are reported as one change.
        let isReportDue = Locked(false)
        for await event in events {
          if event == .removed {
            continuation.yield()
          } else if !isReportDue.exchange(true) {
            Task {
              try? await Task.sleep(for: claimDelay)
              _ = isReportDue.exchange(false)
              continuation.yield()
            }
          }
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  static func untilCancelled() async {
    let (nothing, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    withExtendedLifetime(continuation) {}
  }

  /// How long pcscd or a kernel driver may take to claim a reader that was plugged in.
  private static let claimDelay = Duration.seconds(1)

  /// The libnfc devices that PC/SC does not list. If PC/SC lists any reader, a device that a program uses is assumed to
  /// be one of those.
  static func devices(besides readers: [CardReader]?) -> [LibNFCReader] {
    LibNFCReader.all().filter { $0.owner != .program || readers?.isEmpty ?? true }
  }

  private static func reader(_ device: LibNFCReader) async -> CardReader {
    if let owner = device.owner { return CardReader(device, error: owner.error(device.name)) }
    do {
      return CardReader(device, card: try await LibNFCDevice(device.connstring).presentCard())
    } catch {
      return CardReader(device, error: error as? CardError ?? .readerFailed(reader: device.name))
    }
  }
}

extension Locked<Bool> {
  /// Sets a new value and returns the old one.
  fileprivate func exchange(_ new: Bool) -> Bool {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

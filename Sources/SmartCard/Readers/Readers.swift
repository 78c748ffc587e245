import Threads
import Udev

/// The readers of both stacks as one list. What pcscd drives is listed as a PC/SC reader only; what libnfc could drive and
/// nobody has, or somebody else, as a device of libnfc's.
public enum Readers {
  /// The readers and the cards in them, now. A device of libnfc's that is free is opened for a moment to look for a card.
  ///
  /// - Throws: `CardError.noReaderAnywhere` and the errors of PC/SC, where libnfc has no device either.
  public static func now() async throws -> [CardReader] {
    let pcsc: Result<[CardReader], CardError> = await PCSCContext.look()
    let devices = devices(besides: try? pcsc.get())
    if devices.isEmpty {
      if pcsc == .failure(.serviceUnavailable) { throw CardError.noReaderAnywhere }
      return try pcsc.get()
    }
    var readers = (try? pcsc.get()) ?? []
    for device in devices { readers.append(await look(device)) }
    return readers
  }

  /// The readers now, then every change, until the consumer stops listening. Of libnfc's devices only coming and going is
  /// told: to look for cards would take them from every other program. Where there is no PC/SC service, those are followed
  /// alone, if there are any at the beginning; a service that ends later is followed again when it runs again.
  public static func events() -> AsyncThrowingStream<ReaderEvent, any Error> {
    AsyncThrowingStream { continuation in
      let task = Task {
        do {
          try await follow { continuation.yield($0) }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error is CancellationError ? nil : error)
        }
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  private static func follow(_ tell: @escaping @Sendable (ReaderEvent) -> Void) async throws {
    let isServiceMissing = await PCSCContext.look() == .failure(.serviceUnavailable)
    let isWithoutService = isServiceMissing && !devices(besides: nil).isEmpty
    try await withThrowingTaskGroup(of: Void.self) { group in
      if !isWithoutService {
        group.addTask {
          for try await event in PCSCContext.events() { tell(event) }
        }
      }
      group.addTask {
        var known: [CardReader] = []
        for await _ in changes() {
          let now = devices(besides: try? await PCSCContext.look().get()).map { CardReader($0) }
          for event in ReaderEvent.between(known, now) { tell(event) }
          known = now
        }
        // Without udev there is nothing to follow here; PC/SC goes on.
        await untilCancelled()
      }
      // The first that ends is the one that failed.
      try await group.next()
      group.cancelAll()
    }
  }

  /// An element at once, and one after each time that devices of USB came or went, when whoever takes them has had the time
  /// to do so.
  static func changes() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      guard let events = try? Udev.events(subsystems: ["usb"]) else {
        continuation.yield()
        return continuation.finish()
      }
      continuation.yield()
      let task = Task {
        // A device has many events when it comes; one look is enough for all.
        let isLookDue = Locked(false)
        for await event in events where LibNFCReader.concerns(event) {
          if event.change == .remove {
            continuation.yield()
          } else if !isLookDue.exchange(true) {
            Task {
              try? await Task.sleep(for: timeToTake)
              _ = isLookDue.exchange(false)
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

  /// How long pcscd or a kernel driver may take to get hold of a reader that was plugged in.
  static let timeToTake = Duration.seconds(1)

  /// Devices of libnfc's that PC/SC does not list already: with readers there, one that a program has is one of these.
  private static func devices(besides readers: [CardReader]?) -> [LibNFCReader] {
    LibNFCReader.all().filter { $0.holder != .program || readers?.isEmpty ?? true }
  }

  private static func look(_ reader: LibNFCReader) async -> CardReader {
    if let holder = reader.holder { return CardReader(reader, obstacle: holder.error(reader.name)) }
    do {
      return CardReader(reader, card: try await LibNFCDevice(reader.connstring).presentCard())
    } catch {
      return CardReader(reader, obstacle: error as? CardError ?? .readerFailed(reader: reader.name))
    }
  }
}

extension Locked<Bool> {
  /// - Returns: what it was.
  fileprivate func exchange(_ new: Bool) -> Bool {
    withLock { value in
      defer { value = new }
      return value
    }
  }
}

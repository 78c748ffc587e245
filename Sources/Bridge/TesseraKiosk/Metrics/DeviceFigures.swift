package import TesseraBridge
internal import TesseraThreads
internal import TesseraUdev

/// Whether a kiosk has a reader and a camera, for its metrics.
///
/// The devices are asked only after something has happened, and never by a timer: a question wakes up a camera that sleeps.
package final class DeviceFigures: Sendable {
  private struct State {
    var reader: Bool?
    var camera: Bool?
    /// Whether the readers tell their changes themselves.
    var isFollowed = false
    var isOutdated = true
  }
  private let registry: SdkProviderRegistry
  private let state = Locked(State())

  /// How long a device may take to answer.
  private static let limit = Duration.seconds(2)

  package init(_ registry: SdkProviderRegistry) { self.registry = registry }

  /// The reader or the camera may have come or gone.
  package func mayHaveChanged() { state.withLock { $0.isOutdated = true } }

  /// The readers are these now.
  package func hasReaders(_ count: Int) {
    state.withLock { state in
      state.reader = count > 0
      state.isFollowed = true
    }
  }

  /// Follows the cameras that are connected and removed, until the task is cancelled.
  package func followCameras(onChange: @Sendable () -> Void) async {
    guard let events = try? Udev.events(subsystems: ["video4linux"]) else { return }
    for await _ in events {
      mayHaveChanged()
      onChange()
    }
  }

  /// The figures of this moment; not a number if a device does not answer.
  package func gauges() async -> [(name: String, value: Double)] {
    let (isOutdated, isFollowed) = state.withLock { state in
      defer { state.isOutdated = false }
      return (state.isOutdated, state.isFollowed)
    }
    if isOutdated {
      // The answers that pages receive may be some seconds old.
      let providers = registry.providers
      async let camera = try? withTimeLimit(Self.limit) { await providers.cameraMrz?.isAvailable() ?? false }
      async let reader =
        isFollowed ? nil : try? withTimeLimit(Self.limit) { await providers.nfc?.isAvailable() ?? false }
      let found = await (reader: reader, camera: camera)
      state.withLock { state in
        guard !Task.isCancelled else {
          state.isOutdated = true
          return
        }
        state.camera = found.camera
        // The readers may have told their state meanwhile.
        if !state.isFollowed { state.reader = found.reader }
      }
    }
    let (reader, camera) = state.withLock { ($0.reader, $0.camera) }
    return [
      ("tessera_reader_connected", reader.map { $0 ? 1 : 0 } ?? .nan),
      ("tessera_camera_present", camera.map { $0 ? 1 : 0 } ?? .nan),
    ]
  }
}

import TesseraSmartCard

/// The channel to the card on a libnfc device.
final class LibNFCCardChannel: CardChannel {
  private let device: LibNFCDevice

  init(device: LibNFCDevice) { self.device = device }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] { try await device.transmit(command) }

  func awaitReturn(within time: Duration) async throws { try await device.awaitReturn(within: time) }

  func disconnect() async { await device.disconnect() }
}

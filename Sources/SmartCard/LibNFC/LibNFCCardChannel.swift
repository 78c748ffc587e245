/// The channel to the card on a device of libnfc's.
final class LibNFCCardChannel: CardChannel {
  private let device: LibNFCDevice

  init(device: LibNFCDevice) { self.device = device }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] { try await device.transmit(command) }

  func disconnect() async { await device.disconnect() }
}

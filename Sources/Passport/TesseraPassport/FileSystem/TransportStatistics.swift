/// The number and size of the APDUs that one read exchanged with the chip.
public struct TransportStatistics: Sendable, Equatable {
  /// Command APDUs sent to the chip.
  public var exchanges = 0
  public var bytesSent = 0
  public var bytesReceived = 0

  public init() {}
}

package import TesseraSmartCard

/// The JSON form of an error of a desk's reader. Only what a read reacts to is distinguished; names of devices and paths
/// of the desk stay there.
package struct RelayedCardError: Codable, Sendable, Equatable {
  package enum Code: String, Codable, Sendable, CaseIterable {
    case cardRemoved
    case cardReset
    case mute
    case transmission
    case emptyResponse
    case truncatedResponse
    case powerCycleNeeded
    case commandTooLong
    case commandTooLongForReader
    case noCard
    case notSmartCard
    case readerRemoved
    case readerInUse
    case serviceUnavailable
    /// Any other error of the reader.
    case readerFailed
  }

  package var code: Code
  /// The reader's code, a number of seconds, or a length in bytes.
  package var number: Int?
  /// The reader's limit in bytes.
  package var limit: Int?

  private init(_ code: Code, _ number: Int? = nil, limit: Int? = nil) {
    self.code = code
    self.number = number
    self.limit = limit
  }

  package init(_ error: any Error) {
    switch error as? CardError {
    case .cardRemoved: self.init(.cardRemoved)
    case .cardReset: self.init(.cardReset)
    case .mute: self.init(.mute)
    case .transmission(let code): self.init(.transmission, Int(code))
    case .emptyResponse: self.init(.emptyResponse)
    case .truncatedResponse(let count): self.init(.truncatedResponse, count)
    case .powerCycleNeeded: self.init(.powerCycleNeeded)
    case .commandTooLong: self.init(.commandTooLong)
    case .commandTooLongForReader(let length, let limit): self.init(.commandTooLongForReader, length, limit: limit)
    case .noCard(let seconds), .contactCardOnly(_, let seconds): self.init(.noCard, seconds)
    case .notSmartCard: self.init(.notSmartCard)
    case .readerRemoved: self.init(.readerRemoved)
    case .readerInUse, .readerBlocked, .cardUnpowered: self.init(.readerInUse)
    case .serviceUnavailable, .serviceUnresponsive, .sessionRefused: self.init(.serviceUnavailable)
    default: self.init(.readerFailed)
    }
  }

  /// - Parameter reader: the name by which the desk announced its reader.
  package func error(reader: String) -> CardError {
    // A desk may state any number.
    let number = min(max(number ?? 0, 0), Int(UInt32.max))
    return switch code {
    case .cardRemoved: .cardRemoved
    case .cardReset: .cardReset
    case .mute: .mute
    case .transmission: .transmission(code: UInt32(number))
    case .emptyResponse: .emptyResponse
    case .truncatedResponse: .truncatedResponse(number)
    case .powerCycleNeeded: .powerCycleNeeded
    case .commandTooLong: .commandTooLong
    case .commandTooLongForReader: .commandTooLongForReader(length: number, limit: max(limit ?? 0, 0))
    case .noCard: .noCard(seconds: number)
    case .notSmartCard: .notSmartCard
    case .readerRemoved: .readerRemoved(reader: reader)
    case .readerInUse: .readerInUse(reader: reader)
    case .serviceUnavailable: .serviceUnavailable
    case .readerFailed: .readerFailed(reader: reader)
    }
  }
}

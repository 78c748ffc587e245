/// A response APDU (ISO/IEC 7816-4, 5.1): data and status word.
package struct ResponseAPDU: Sendable, Equatable {
  package var data: [UInt8]
  package var status: StatusWord

  /// Bytes of the status word.
  package static let statusLength = 2

  package init(data: [UInt8] = [], status: StatusWord) {
    self.data = data
    self.status = status
  }

  /// - Throws: `CardError.truncatedResponse` if there is no status word.
  package init(_ bytes: [UInt8]) throws(CardError) {
    guard bytes.count >= Self.statusLength else { throw .truncatedResponse(bytes.count) }
    data = Array(bytes.dropLast(Self.statusLength))
    status = StatusWord(UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
  }

  package var encoded: [UInt8] { data + [status.sw1, status.sw2] }
}

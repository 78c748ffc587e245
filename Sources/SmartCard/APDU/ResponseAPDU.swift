/// A response of ISO/IEC 7816-4, 5.1: data and status word.
public struct ResponseAPDU: Sendable, Equatable {
  public var data: [UInt8]
  public var status: StatusWord

  public init(data: [UInt8] = [], status: StatusWord) {
    self.data = data
    self.status = status
  }

  /// - Throws: `CardError.truncatedResponse` where even the status word is missing.
  public init(_ bytes: [UInt8]) throws(CardError) {
    guard bytes.count >= 2 else { throw .truncatedResponse(bytes.count) }
    data = Array(bytes.dropLast(2))
    status = StatusWord(UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1]))
  }

  public var encoded: [UInt8] { data + [status.sw1, status.sw2] }
}

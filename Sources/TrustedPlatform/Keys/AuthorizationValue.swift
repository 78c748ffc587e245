internal import CTSS2
import Cryptography
import Glibc

/// A PIN as the TPM takes it: an authorization value of at most the size of the key's name hash.
enum AuthorizationValue {
  /// Bytes; SHA-256, the only name hash that is handled.
  static let limit = 32

  /// - Throws: `TPMError.emptyPIN`, `.pinTooLong`.
  static func check(_ pin: SecretBytes) throws(TPMError) {
    guard pin.count <= limit else { throw .pinTooLong(limit: limit) }
    // Zero bytes at the end do not count: TPM 2.0 Library, part 1, 19.6.4.3.
    guard pin.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { throw .emptyPIN }
  }

  /// Writes a checked PIN to `value`, whose memory the caller wipes.
  static func write(_ pin: SecretBytes, to value: inout TPM2B_AUTH) {
    pin.withUnsafeBytes { value.size = SizedBuffer.fill(&value.buffer, $0) }
  }

  /// Calls `body` with a PIN in wiped memory; an empty value for nil.
  static func withValue<Result>(_ pin: SecretBytes?, _ body: (UnsafePointer<TPM2B_AUTH>) -> Result) -> Result {
    withWipedMemory(TPM2B_AUTH.self) { value in
      if let pin { write(pin, to: &value.pointee) }
      return body(value)
    }
  }

  /// Calls `body` with a structure of zeros that is wiped afterwards, also where `body` fails.
  static func withWipedMemory<Structure: BitwiseCopyable, Result, Failure: Error>(
    _ type: Structure.Type, _ body: (UnsafeMutablePointer<Structure>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = UnsafeMutablePointer<Structure>.allocate(capacity: 1)
    memset(memory, 0, MemoryLayout<Structure>.size)
    defer {
      explicit_bzero(memory, MemoryLayout<Structure>.size)
      memory.deallocate()
    }
    return try body(memory)
  }
}

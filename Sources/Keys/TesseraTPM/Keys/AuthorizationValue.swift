internal import CTesseraTSS2
import Glibc
import TesseraCore
import TesseraCryptography

/// The authorization value of a key (`TPM2B_AUTH`), which contains its PIN. It is at most as long as the name hash.
enum AuthorizationValue {
  /// In bytes: the length of SHA-256, the only supported name hash.
  static let limit = 32

  /// Validates a PIN.
  ///
  /// - Throws: `TPMError.emptyPIN`, `.pinTooLong`.
  static func check(_ pin: SecretBytes) throws(TPMError) {
    guard pin.count <= limit else { throw .pinTooLong(limit: limit) }
    // Zero bytes at the end do not count: TPM 2.0 Library, part 1, 19.6.4.3.
    guard pin.withUnsafeBytes({ $0.contains { $0 != 0 } }) else { throw .emptyPIN }
  }

  /// Writes a validated PIN to `value`. The caller wipes the memory.
  static func write(_ pin: SecretBytes, to value: inout TPM2B_AUTH) {
    pin.withUnsafeBytes { value.size = SizedBuffer.fill(&value.buffer, $0) }
  }

  /// Calls `body` with a PIN in memory that is wiped afterwards; nil gives an empty value.
  static func withValue<Result>(_ pin: SecretBytes?, _ body: (UnsafePointer<TPM2B_AUTH>) -> Result) -> Result {
    withWipedMemory(TPM2B_AUTH.self) { value in
      if let pin { write(pin, to: &value.pointee) }
      return body(value)
    }
  }

  /// Calls `body` with a zeroed structure, and wipes it afterwards, also if `body` throws.
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

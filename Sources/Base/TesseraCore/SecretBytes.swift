internal import CTesseraMemory

/// Secret bytes: zeroed on release, compared in constant time, never printed.
///
/// `@unchecked Sendable`: the memory is written once, inside the initialiser, before any other reference can
/// exist; from then on it is only read.
public final class SecretBytes: @unchecked Sendable {
  private let storage: UnsafeMutableRawBufferPointer

  /// Allocates `count` zero bytes, which `body` fills in place, so that no other copy exists.
  public init(count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    storage = .allocate(byteCount: count, alignment: 16)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
    defer { tessera_forget_registers() }
    try body(storage)
  }

  public convenience init(_ bytes: some Collection<UInt8>) {
    self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// The first bytes of another secret.
  package convenience init(_ secret: SecretBytes, prefix count: Int) {
    self.init(count: min(count, secret.count)) { bytes in
      secret.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count))) }
    }
  }

  deinit {
    if let start = storage.baseAddress { tessera_forget(start, storage.count) }
    storage.deallocate()
  }

  public var count: Int { storage.count }

  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(UnsafeRawBufferPointer(storage))
  }

  /// These bytes between two public byte strings.
  package func joined(after head: [UInt8], before tail: [UInt8]) -> SecretBytes {
    SecretBytes(count: head.count + count + tail.count) { buffer in
      buffer.copyBytes(from: head)
      UnsafeMutableRawBufferPointer(rebasing: buffer[head.count...]).copyMemory(from: UnsafeRawBufferPointer(storage))
      UnsafeMutableRawBufferPointer(rebasing: buffer[(head.count + count)...]).copyBytes(from: tail)
    }
  }
}

extension SecretBytes: Equatable {
  /// Compares in time that depends only on the lengths.
  public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
    left.withUnsafeBytes { a in right.withUnsafeBytes { b in constantTimeEqual(a, b) } }
  }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  /// The default mirror would show the address of the bytes to `dump`.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// Whether two byte strings are equal, in time that depends on their lengths only.
@inlinable
package func constantTimeEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  return Array(left).withUnsafeBytes { a in
    Array(right).withUnsafeBytes { b in constantTimeEqual(a, b) }
  }
}

/// Compares all bytes, whatever the first ones are: the loop has no branch that depends on a byte.
///
/// The compiler would be allowed to leave the loop as soon as a bit of `difference` is set, since the result is then known.
/// It does not optimise this function: neither its loop, nor a copy of it in a caller.
@usableFromInline
@_optimize(none)
@inline(never)
func constantTimeEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for index in 0..<left.count { difference |= left[index] ^ right[index] }
  return difference == 0
}
